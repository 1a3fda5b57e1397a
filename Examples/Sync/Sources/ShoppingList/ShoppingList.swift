import Foundation
import SwiftletClient
import SwiftletSync

public struct Item: Codable, Sendable, Hashable, Identifiable {
    public var id = UUID()
    public var title: String
    public var isDone = false
}

/// What to buy, on all devices of a person, with or without a network.
public struct ShoppingList: Sendable {
    private let store: SyncStore

    public init(_ client: APIClient, directory: URL) throws {
        store = try SyncStore(client, tables: [SyncedTable("items")], directory: directory)
    }

    /// To be called in a task as long as the app is in use.
    public func follow() async { await store.run() }

    /// In a background task, for example.
    public func synchronize() async throws { try await store.synchronize() }

    /// Now, and after every change on any device.
    public var items: SyncedRows<[Item]> { store.rows(of: "items", as: Item.self) }

    public var current: [Item] {
        get async throws { try await store.current("items").sorted { $0.title < $1.title } }
    }

    @discardableResult
    public func add(_ title: String) async throws -> Item {
        let item = Item(title: title)
        try await store.insert(item, into: "items")
        return item
    }

    /// Somebody may rename it on another device meanwhile: both count.
    public func setDone(_ isDone: Bool, _ item: Item) async throws {
        try await store.update("items", SyncKey(item.id), set: ["is_done": isDone])
    }

    /// If it was renamed on another device meanwhile, this is a conflict: see ``refusals``.
    public func rename(_ item: Item, to title: String) async throws {
        try await store.update("items", SyncKey(item.id), set: ["title": title], unlessChanged: ["title"])
    }

    public func remove(_ item: Item) async throws { try await store.delete(SyncKey(item.id), from: "items") }

    /// What the server did not do, as sentences for people. They are told once.
    public func refusals() async throws -> [String] {
        var sentences: [String] = []
        for conflict in try await store.conflicts {
            let now = try conflict.present(as: Item.self)
            sentences.append(now.map { "It is called \($0.title) now" } ?? conflict.message)
            try await store.dismiss(conflict)
        }
        return sentences
    }

    /// Sends what waits, if it can, and leaves nothing on the device.
    public func signOut(_ client: APIClient) async throws {
        try? await store.synchronize()
        try await store.clear()
        await AuthManager(client: client).logout()
    }
}
