import Foundation
import SwiftletJSON
import SwiftletOutbound
import SwiftletPostgres
import SwiftletTesting
import Testing

/// What one caller of `/rest/v1` has the database do for as long as it may is no trouble of the others.
@Suite(.needsDatabase, .hangLimit)
final class ExpensiveCallerTests {
    private let folder: String
    private let database: String

    private static let ada = "11111111-1111-4111-8111-111111111111"
    /// Each group backtracks into the others.
    private static let backtracking =
        "/rest/v1/letters?select=id&notes=match.%5E(a%2B)(a%2B)(a%2B)(a%2B)b%5C4%5C3%5C2%5C1%24"

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        database = try TestDatabase.create()
        try BlockingConnection.connect(to: database).execute(
            """
            CREATE TABLE public.letters (id int PRIMARY KEY, notes text);
            INSERT INTO letters VALUES (1, repeat('a', 6000) || 'b' || repeat('a', 3999));
            CREATE FUNCTION public.nap() RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT pg_sleep(60)::text $$;
            GRANT SELECT ON letters TO anon, authenticated;
            GRANT EXECUTE ON FUNCTION nap() TO anon, authenticated;
            """
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Roles belong to all databases of the cluster: this setting is of ours only.
    private func limit(_ role: String, to seconds: Int) throws {
        try BlockingConnection.connect(to: database).execute(
            """
            DO $$ BEGIN
                EXECUTE format('ALTER ROLE \(role) IN DATABASE %I SET statement_timeout = ''\(seconds)s''', current_database());
            END $$
            """
        )
    }

    private func start(_ settings: [String: String] = [:]) async throws -> (SwiftletProcess, Client) {
        let environment = [
            "DATABASE_URL": database, "JWT_SECRET": TestApplication.secret, "HOST": "127.0.0.1", "WORKERS": "1",
            "LOG_FORMAT": "json", "BCRYPT_COST": "4",
        ]
        let (process, port) = try await SwiftletProcess.serveReady(
            in: folder,
            environment.merging(settings) { $1 }
        )
        return (process, Client(port: port))
    }

    private struct Client: Sendable {
        let port: Int

        func send(
            _ method: String,
            _ path: String,
            _ body: String = "",
            token: String? = nil
        ) async throws -> HTTPResponse {
            var headers = [(name: "Content-Type", value: "application/json")]
            if let token { headers.append((name: "Authorization", value: "Bearer \(token)")) }
            var request = HTTPRequest(
                method,
                "http://127.0.0.1:\(port)\(path)",
                body: Array(body.utf8),
                headers: headers
            )
            (request.timeout, request.idleTimeout) = (.seconds(120), .seconds(120))
            return try await request.sent()
        }
    }

    /// The statements of the attack that run, each by its process and its begin.
    private func attacks() throws -> Set<String> {
        let rows = try BlockingConnection.connect(to: database).query(
            """
            SELECT pid || ' ' || query_start FROM pg_stat_activity
            WHERE datname = current_database() AND state = 'active' AND (query LIKE '%letters% ~ %' OR query LIKE '%"nap"%')
                AND pid <> pg_backend_pid()
            """
        )
        return Set(rows.compactMap { $0[0] })
    }

    private func token(_ subject: String) throws -> String {
        try TestApplication.token(claims: ["sub": .string(subject), "role": "authenticated"])
    }

    /// Somebody signs up and in, functions read and write, and another caller of `/rest/v1` reads.
    private func serveOthers(_ client: Client, round: Int) async throws {
        let alice = try TestApplication.token(tenant: "tenant-a", user: "alice")
        let account = #"{"email":"bea\#(round)@example.org","password":"a long passphrase"}"#
        let bob = try token("22222222-2222-4222-8222-222222222222")
        let requests: [(method: String, path: String, body: String, token: String?)] = [
            ("GET", "/tasks", "", alice), ("POST", "/tasks", #"{"title":"meanwhile"}"#, alice),
            ("POST", "/auth/v1/signup", account, nil), ("POST", "/auth/v1/token?grant_type=password", account, nil),
            ("GET", "/rest/v1/letters?select=id", "", bob),
        ]
        for (method, path, body, token) in requests {
            let answer = try await client.send(method, path, body, token: token)
            #expect((200..<300).contains(answer.status), "\(path): \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    @Test(arguments: [nil, ada])
    func `a backtracking pattern and sleeping functions hold up nobody but their caller`(subject: String?) async throws
    {
        // So long that nothing of it ends while the others ask.
        for role in ["anon", "authenticated"] { try limit(role, to: 60) }
        let (process, client) = try await start()
        let attacker = try subject.map { try token($0) }
        // The statement is known as a fast one.
        for _ in 0..<20 {
            #expect(
                try await client.send("GET", "/rest/v1/letters?select=id&notes=match.x", token: attacker).status == 200
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { _ = try? await client.send("GET", Self.backtracking, token: attacker) }
                group.addTask { _ = try? await client.send("POST", "/rest/v1/rpc/nap", token: attacker) }
            }
            let isAttacked = try await eventually(within: .seconds(60)) { try !attacks().isEmpty }
            try #require(isAttacked)
            let running = try attacks()
            for round in 0..<3 { try await serveOthers(client, round: round) }
            #expect(try attacks().isSuperset(of: running))
            #expect(try await client.send("GET", "/ready").status == 200)
            // The requests fail, which ends the group.
            process.send(SIGKILL)
            group.cancelAll()
        }
        try BlockingConnection.connect(to: database).execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        )
    }

    @Test(arguments: [(nil, "anon"), (ada, "authenticated")])
    func `a statement ends at the limit of its role`(subject: String?, role: String) async throws {
        try limit(role, to: 1)
        let (process, client) = try await start()
        let attacker = try subject.map { try token($0) }
        for (method, path) in [("GET", Self.backtracking), ("POST", "/rest/v1/rpc/nap")] {
            let stopwatch = Stopwatch()
            let answer = try await client.send(method, path, token: attacker)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains("57014"), "\(path): \(answer.status) \(text)")
            // The nap would take a minute, and the pattern hours.
            #expect(stopwatch.elapsed < .seconds(30))
        }
        #expect(try attacks().isEmpty)
        try await serveOthers(client, round: 0)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }
}
