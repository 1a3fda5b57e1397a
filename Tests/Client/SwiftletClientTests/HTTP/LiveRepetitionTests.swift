import Foundation
import SwiftletClient
import SwiftletTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Changes whose answers are lost, against the real server.
@Suite(.needsDatabase, .hangLimit)
struct LiveRepetitionTests {
    private struct Row: Codable, Sendable {
        var id: String
        var title: String?
    }

    private struct Note: Encodable, Sendable {
        let title: String
    }

    private func quickly(_ configuration: inout APIClient.Configuration) { configuration.retry.sleep = { _ in } }

    @Test func `a change whose answer is lost takes effect once`() async throws {
        try await LiveServer.with { live in
            let transport = UnreliableTransport()
            let client = try await live.signedIn(transport: transport, change: quickly)
            await transport.lose(nextAnswerTo: ["POST"])
            let made: Row = try await client.request(
                APIEndpoint(.post, "/api/tasks", body: .json(Note(title: "once")))
            )
            #expect(made.title == "once")
            #expect(await transport.count(of: "/api/tasks") == 2)
            #expect(try live.value("SELECT count(*) FROM tasks WHERE title = 'once'") == "1")

            await transport.lose(nextAnswerTo: ["PATCH"])
            let changed: Row = try await client.request(.update(.patch, "/api/tasks/\(made.id)", Note(title: "twice")))
            #expect(changed.title == "twice")
            #expect(await transport.count(of: "/api/tasks/\(made.id)") == 2)

            // The answer to the first attempt comes again, and nothing has to be read back.
            await transport.lose(nextAnswerTo: ["POST"])
            let created: Row = try await client.request(.create("/api/tasks", Note(title: "named")))
            #expect(await transport.count(of: "/api/tasks/\(created.id)") == 0)
            #expect(try live.value("SELECT count(*) FROM tasks WHERE title = 'named'") == "1")
        }
    }

    @Test func `a server that lacks the table is asked without a key`() async throws {
        try await LiveServer.with { live in
            try live.execute("DROP TABLE swiftlet.idempotency_keys")
            let transport = UnreliableTransport()
            let client = try await live.signedIn(transport: transport, change: quickly)
            let made: Row = try await client.request(APIEndpoint(.post, "/api/tasks", body: .json(Note(title: "a"))))
            #expect(await transport.count(of: "/api/tasks") == 2)
            let _: Row = try await client.request(APIEndpoint(.get, "/api/tasks/\(made.id)"))
            #expect(try live.value("SELECT count(*) FROM tasks") == "1")
        }
    }
}
