import Foundation
import SwiftletClient
import SwiftletTesting
import Testing

@testable import ShoppingList

@Suite struct ShoppingListTests {
    private func list(_ url: URL, of user: String, _ device: String, in folder: URL) throws -> ShoppingList {
        // A token in the place of the key: an app signs in with `AuthManager`.
        let token = try TestBackend.token(tenant: "home", user: user)
        let client = APIClient(configuration: .init(baseURL: url, apiKey: token))
        return try ShoppingList(client, directory: folder.appending(path: device))
    }

    @Test func `two devices agree, and others see nothing`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await TestBackend.serving(functions: []) { url, backend in
            let (ada, bob) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
            let phone = try list(url, of: ada, "phone", in: folder)
            let tablet = try list(url, of: ada, "tablet", in: folder)

            let milk = try await phone.add("Milk")
            #expect(try await phone.current == [milk])
            try await phone.synchronize()
            let following = Task { await tablet.follow() }
            for try await items in tablet.items where items == [milk] { break }
            following.cancel()
            await following.value

            // Both offline.
            try await phone.rename(milk, to: "Oat milk")
            try await tablet.rename(milk, to: "Soy milk")
            try await tablet.setDone(true, milk)
            try await phone.synchronize()
            try await tablet.synchronize()
            #expect(try await tablet.refusals() == ["It is called Oat milk now"])
            #expect(try await tablet.current == [Item(id: milk.id, title: "Oat milk", isDone: true)])

            // The server is killed, and the app as well.
            try await backend.withoutServer {
                let bread = try await tablet.add("Bread")
                try await tablet.setDone(true, bread)
                await #expect(throws: APIError.network) { try await tablet.synchronize() }
            }
            let again = try list(url, of: ada, "tablet", in: folder)
            #expect(try await again.current.map(\.title) == ["Bread", "Oat milk"])
            let following2 = Task { await phone.follow() }
            try await again.synchronize()
            for try await items in phone.items where items.count == 2 && items.allSatisfy(\.isDone) { break }
            following2.cancel()
            await following2.value

            let other = try list(url, of: bob, "other", in: folder)
            try await other.synchronize()
            #expect(try await other.current.isEmpty)
        }
    }
}
