import Logging
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletWeb

@Suite(.needsDatabase, .hangLimit)
struct FailureLogTests {
    private static let functions = [
        Function("slow") {
            Get("/") { _, context in
                _ = try await context.database.query("SELECT pg_sleep(20) WHERE \(context.tenant) <> ''")
                return .success
            }
            Get("/broken") { _, context in
                _ = try await context.database.query("SELECT nothing() WHERE \(context.tenant) <> ''")
                return .success
            }
            Get("/unreachable") { _, _ in
                throw PostgresError(kind: .connectionFailure, state: .connectionFailure, message: "no connection")
            }
            Get("/raised") { _, context in
                _ = try await context.database.query("SELECT raise_for(\(context.tenant), 'a title')")
                return .success
            }
            Get("/waiting") { _, _ in throw PostgresError.overloaded }
            Get("/late") { _, _ in throw PostgresError.timeout }
            Get("/unread") { _, _ in throw APIError.unavailable("OVERLOADED", "Too many large responses") }
            Get("/lost") { _, _ in throw PostgresError.connectionLostAfterSending }
            Get("/full") { _, _ in
                throw PostgresError(kind: .server, state: SQLState(rawValue: "53100"), message: "disk full")
            }
        }
    ]

    private func with(_ body: (TestApplication, LogRecord, _ token: String) async throws -> Void) async throws {
        let record = LogRecord()
        let token = try TestApplication.token(tenant: "t1", user: "u1")
        try await TestApplication.with(Self.functions, logger: record.logger) { application async throws in
            try await body(application, record, token)
        }
    }

    @Test func `requests that an outage of the database fails are no errors of their own`() async throws {
        try await with { application, record, token async throws in
            #expect(try await application.send(.get, "/slow/unreachable", token: token).status == 503)
            #expect(record.levels(of: "request failed") == [.debug])
        }
    }

    @Test(
        arguments: [
            ("waiting", .warning), ("late", .warning), ("unread", .warning), ("lost", .error), ("full", .error),
        ] as [(String, Logger.Level)]
    )
    func `a refusal by design is a warning, and what the database cannot do an error`(
        path: String,
        level: Logger.Level
    ) async throws {
        try await with { application, record, token async throws in
            #expect(try await application.send(.get, "/slow/\(path)", token: token).status == 503)
            #expect(record.levels(of: "request failed") == [level])
        }
    }

    @Test func `an answer's code and message are its cause in the log`() async throws {
        try await with { application, record, token async throws in
            _ = try await application.send(.get, "/slow/unread", token: token)
            #expect(record.lines.last?.metadata["cause"] == "OVERLOADED: Too many large responses")
        }
    }

    @Test func `the text that a function of the database raises is not logged`() async throws {
        try await with { application, record, token async throws in
            try application.execute(
                """
                CREATE FUNCTION raise_for(tenant text, title text) RETURNS int LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'refused: %', title; END $$
                """
            )
            #expect(try await application.send(.get, "/slow/raised", token: token).status == 500)
            let cause = record.lines.last { $0.message == "request failed" }?.metadata["cause"]
            #expect(cause == "PostgresError(P0001) raised by a function of the database")
        }
    }

    @Test func `a fault is an error, and a client that left is none`() async throws {
        try await with { application, record, token async throws in
            #expect(try await application.send(.get, "/slow/broken", token: token).status.rawValue >= 500)
            #expect(record.levels(of: "request failed") == [.error])
            let leaving = Task { try await application.send(.get, "/slow", token: token) }
            try await Task.sleep(for: .milliseconds(300))
            leaving.cancel()
            #expect(try await leaving.value.status == 499)
            #expect(record.levels(of: "request failed") == [.error, .debug])
        }
    }
}
