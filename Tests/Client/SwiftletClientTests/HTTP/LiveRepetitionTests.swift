import Foundation
import SwiftletClient
import SwiftletTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Changes whose answers are lost, and calls that go together, against the real server.
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
                APIEndpoint(.post, "/api/tasks", body: .json(Note(title: "once")), repetition: .keyed)
            )
            #expect(made.title == "once")
            #expect(await transport.count(of: "/api/tasks") == 2)
            #expect(try live.value("SELECT count(*) FROM tasks WHERE title = 'once'") == "1")

            await transport.lose(nextAnswerTo: ["PATCH"])
            let changed: Row = try await client.request(
                .update(.patch, "/api/tasks/\(made.id)", Note(title: "twice"), repetition: .keyed)
            )
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

    @Test(arguments: [true, false])
    func `a batch uses what earlier calls have answered, and a transaction survives a lost answer`(
        isTransaction: Bool
    ) async throws {
        try await LiveServer.with { live in
            let transport = UnreliableTransport()
            let client = try await live.signedIn(transport: transport, change: quickly)
            // What is no transaction may not be made twice.
            if isTransaction { await transport.lose(nextAnswerTo: ["POST"]) }
            let (answers, calls) = try await client.batch(inTransaction: isTransaction) { calls in
                let first = calls.add(APIEndpoint(.post, "/api/tasks", body: .json(Note(title: "ä/1 {x}"))))
                let change = APIEndpoint.update(.patch, "/api/tasks/\(first["id"])", ["description": first["title"]])
                let second = calls.add(change)
                let third = calls.add(
                    APIEndpoint(.get, "/api/tasks", query: [URLQueryItem(name: "search", value: "ä/1 {x}")])
                )
                return [first, second, third]
            }
            #expect(answers.statuses == [201, 200, 200])
            let (made, changed): (Row, Row) = try (answers.value(of: calls[0]), answers.value(of: calls[1]))
            #expect(made.id == changed.id)
            let page: Page<Row> = try answers.value(of: calls[2])
            #expect(page.data.map(\.title) == ["ä/1 {x}"])
            #expect(await transport.count(of: "/api/batch") == (isTransaction ? 2 : 1))
            #expect(try live.value("SELECT count(*) || min(description) FROM tasks") == "1ä/1 {x}")
        }
    }

    @Test func `a call that is refused undoes a transaction, and nothing else`() async throws {
        try await LiveServer.with { live in
            let client = try await live.signedIn(change: quickly)
            let endpoints = [
                APIEndpoint(.post, "/api/tasks", body: .json(Note(title: "a"))),
                APIEndpoint(.get, "/api/tasks/00000000-0000-4000-8000-000000000000"),
            ]
            await #expect(throws: APIError.notFound) {
                _ = try await client.batch(endpoints, inTransaction: true)
            }
            #expect(try live.value("SELECT count(*) FROM tasks") == "0")
            let (answers, calls) = try await client.batch { calls in endpoints.map { calls.add($0) } }
            #expect(answers.statuses == [201, 404])
            let _: Row = try answers.value(of: calls[0])
            #expect(throws: APIError.notFound) { try answers.check(calls[1]) }
            #expect(throws: APIError.notFound) { let _: Row = try answers.value(of: calls[1]) }
            #expect(try live.value("SELECT count(*) FROM tasks") == "1")
            await #expect(throws: APIError.self) { _ = try await client.batch([]) }
        }
    }
}
