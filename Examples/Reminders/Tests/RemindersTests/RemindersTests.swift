import SwiftletTesting
import Testing

@testable import Reminders

@Suite struct RemindersTests {
    @Test func `a reminder that is due is told, a later one waits`() async throws {
        try await TestBackend.with(functions: Backend().functions) { backend in
            let ada = try TestBackend.token(tenant: "acme", user: "ada")
            let due = try await backend.send(
                .post,
                "/reminders",
                token: ada,
                #"{"words":"Water the plants","due_at":"2020-01-01T00:00:00Z"}"#
            )
            let later = try await backend.send(
                .post,
                "/reminders",
                token: ada,
                #"{"words":"Turn of the century","due_at":"2100-01-01T00:00:00Z"}"#
            )
            try await backend.finishJobs()
            for (made, isTold) in [(due, true), (later, false)] {
                let id = try #require(try made.jsonObject()["id"]?.string)
                let row = try await backend.send(.get, "/reminders/\(id)", token: ada).jsonObject()
                #expect((row["reminded_at"] != .null) == isTold)
            }
        }
    }
}
