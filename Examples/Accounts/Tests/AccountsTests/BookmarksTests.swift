import SwiftletTesting
import Testing

@testable import Accounts

@Suite struct BookmarksTests {
    @Test func `bookmarks belong to the person that the token names`() async throws {
        try await TestBackend.with(functions: Backend().functions) { backend in
            let ada = try TestBackend.token(tenant: "acme", user: "auth0|ada")
            let eve = try TestBackend.token(tenant: "acme", user: "auth0|eve")
            let made = try await backend.send(.post, "/bookmarks", token: ada, #"{"url":"https://swift.org"}"#)
            #expect(made.status == .created)
            let id = try #require(try made.jsonObject()["id"]?.string)
            #expect(try await backend.send(.get, "/bookmarks/\(id)", token: eve).status == .notFound)

            let mine = try await backend.send(.get, "/bookmarks/summary", token: ada).jsonObject()
            #expect(mine["bookmark_count"] == 1)
            let hers = try await backend.send(.get, "/bookmarks/summary", token: eve)
            #expect(hers.text == #"{"bookmark_count":0}"#)
        }
    }
}
