import Foundation
import SwiftletClient
import SwiftletSync
import SwiftletTesting
import Testing

// What docs/sync.md shows, so that it compiles. A test looks that the page has nothing else.

private struct Item: Codable, Sendable {
    var id = UUID()
    var title: String
}

private func useStore(_ client: APIClient, _ url: URL, _ show: ([Item]) -> Void) async throws {
    let store = try SyncStore(client, tables: [SyncedTable("items")], directory: url)
    let syncing = Task { await store.run() }  // follows the server and sends what waits, until it is cancelled

    let milk = Item(title: "Milk")
    try await store.insert(milk, into: "items")  // on the device when it returns
    try await store.update("items", SyncKey(milk.id), set: ["title": "Oat milk"])
    for try await items in store.rows(of: "items", as: Item.self) { show(items) }  // now, and after every change
    syncing.cancel()
}

struct SnippetTests {
    @Test func `the page shows nothing that is not compiled here`() throws {
        let page = try String(contentsOf: Repository.root.appending(path: "docs/sync.md"), encoding: .utf8)
        let compiled = lines(of: try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
        let snippets = page.components(separatedBy: "```").filter { $0.hasPrefix("swift\n") }
        #expect(!snippets.isEmpty)
        for snippet in snippets { #expect(compiled.contains(lines(of: String(snippet.dropFirst(6)))), "\(snippet)") }
    }

    /// Without their indentation and empty lines.
    private func lines(of text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }
}
