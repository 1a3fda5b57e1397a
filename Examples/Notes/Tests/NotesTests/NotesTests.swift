import SwiftletTesting
import Testing

@testable import Notes

/// Against a real PostgreSQL, which the first test starts and the last one takes along.
@Suite struct NotesTests {
    @Test func `a note is made, archived and found by its team alone`() async throws {
        try await TestBackend.with(functions: Backend().functions) { backend in
            let ada = try TestBackend.token(tenant: "acme", user: "ada")
            let made = try await backend.send(.post, "/notes", token: ada, #"{"title":"Read the manual"}"#)
            #expect(made.status == .created)
            let id = try #require(try made.jsonObject()["id"]?.string)

            let archived = try await backend.send(.post, "/notes/\(id)/archive", token: ada)
            #expect(try archived.jsonObject()["archived"] == true)

            let stranger = try TestBackend.token(tenant: "other", user: "eve")
            let refused = try await backend.send(.get, "/notes/\(id)", token: stranger)
            #expect(refused.status == .notFound)
        }
    }

    @Test func `a note needs a title`() async throws {
        try await TestBackend.with(functions: Backend().functions) { backend in
            let ada = try TestBackend.token(tenant: "acme", user: "ada")
            let refused = try await backend.send(.post, "/notes", token: ada, #"{"body":"Nobody finds me"}"#)
            #expect(refused.status == .badRequest)
            #expect(try refused.jsonObject()["details"]?["title"] == "is required")
        }
    }
}
