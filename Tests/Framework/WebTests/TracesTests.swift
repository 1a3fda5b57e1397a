import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletWeb

/// What a function's own SQL sets for the rest of the session, which the next one on the connection must not have.
@Suite(.needsDatabase, .hangLimit)
struct TracesTests {
    private static let takeOver: SQL = """
        SELECT set_config('role', 'guest_of_traces', false), set_config('statement_timeout', '19000', false),
            set_config('my.claims', 'x', false), pg_advisory_lock_shared(7)::text
        """

    private static let role = """
        DO $$ BEGIN CREATE ROLE guest_of_traces; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$;
        """

    private static let functions = [
        Function("traces") {
            Post("/plain") { _, context in
                try await context.database.queryAcrossTenants(takeOver)
                return .success
            }
            Post("/committed") { _, context in
                _ = try await context.transaction { try await $0.database.queryAcrossTenants(takeOver) }
                return .success
            }
            Post("/undone") { _, context in
                do {
                    try await context.transaction { context in
                        try await context.database.queryAcrossTenants(takeOver)
                        throw CancellationError()
                    }
                } catch {}
                return .success
            }
            Post("/local") { _, context in
                try await context.transaction { context in
                    try await context.database.queryAcrossTenants("SELECT set_config('my.claims', 'x', true)")
                    let rows = try await context.database.queryAcrossTenants(
                        "SELECT current_setting('my.claims') AS claims"
                    )
                    return .json([.string(rows.first?["claims"] ?? "")])
                }
            }
        }
    ]

    @Test(arguments: ["plain", "committed", "undone"])
    func `stays on no connection`(way: String) async throws {
        try await TestApplication.with(Self.functions, sql: Self.role) { application in
            let token = try TestApplication.token(tenant: "a", user: "u")
            let before = try await state(application)
            for _ in 0..<20 {
                let answer = try await application.send(.post, "/traces/\(way)", token: token)
                #expect(answer.status == .ok, "\(answer.text)")
            }
            for _ in 0..<40 {
                let after = try await state(application)
                #expect(after == before)
            }
        }
    }

    @Test func `lasts to the end of its transaction`() async throws {
        try await TestApplication.with(Self.functions) { application in
            let answer = try await application.send(
                .post,
                "/traces/local",
                token: try TestApplication.token(tenant: "a", user: "u")
            )
            #expect(answer.text == #"["x"]"#)
        }
    }

    private func state(_ application: TestApplication) async throws -> [String?] {
        let rows = try await application.database.query(
            """
            SELECT (current_user = session_user)::text AS own, current_setting('role') AS role,
                current_setting('statement_timeout') AS timeout, current_setting('my.claims', true) AS claims,
                (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())::text AS locks
            """
        )
        let row = try #require(rows.first)
        let claims = row["claims"].flatMap { $0.isEmpty ? nil : $0 }
        return [row["own"], row["role"], row["timeout"], claims, row["locks"]]
    }
}
