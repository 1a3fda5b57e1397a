import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

/// Requests that are sent again because their answer was lost.
@Suite(.needsDatabase, .hangLimit)
struct IdempotencyTests {
    private struct Unforeseen: Error {}

    /// Each request makes a row, also those that end with an error; what kind of end is in its text.
    private static func marks(_ gate: Gate? = nil) -> Function {
        Function("marks") {
            Post { request, context in try await mark(request, context, gate) }
            Patch { request, context in try await mark(request, context, gate) }
            Put { request, context in try await mark(request, context, gate) }
            Post("/open") { _, _ in Response(status: .noContent) }.open()
        }
    }

    @Sendable private static func mark(_ request: Request, _ context: Context, _ gate: Gate?) async throws -> Response {
        let text = String(decoding: request.body, as: UTF8.self)
        let rows = try await context.database.query(
            "INSERT INTO marks (tenant_id, text) VALUES (\(context.tenant), \(text)) RETURNING id"
        )
        switch text {
        case "wait": await gate?.pass()
        case "forbidden": throw APIError.forbidden
        case "twice":
            _ = try await context.database.query(
                "INSERT INTO marks (id, tenant_id, text) SELECT id, \(context.tenant), text FROM marks LIMIT 1"
            )
        case "broken": throw Unforeseen()
        case "busy": return Response(status: .serviceUnavailable)
        case "too many": throw APIError(.tooManyRequests, "TOO_MANY", "Later")
        case "conflict": return Response(status: .conflict, body: Array("no".utf8))
        case "bytes": return Response(body: [0, 255, 13, 10, 0])
        case "nothing": return Response(status: .noContent)
        case "large": return Response(body: Array(repeating: 65, count: 262_145))
        default: break
        }
        var response = try Response.json(
            .created,
            ["id": rows.first?.json("id") ?? .null]
        )
        response.headers.append("X-Mark", "a: b")
        response.headers.append("X-Mark", "c")
        return response
    }

    private static let table =
        "CREATE TABLE marks (id serial PRIMARY KEY, tenant_id varchar NOT NULL, text text NOT NULL)"

    private func with(_ gate: Gate? = nil, _ body: (TestApplication) async throws -> Void) async throws {
        try await TestApplication.with([Self.marks(gate)], sql: Self.table, body)
    }

    private func send(
        _ server: TestApplication,
        _ body: String,
        key: String?,
        tenant: String = "a",
        user: String = "ann",
        method: SwiftletHTTP.Method = .post,
        path: String = "/marks"
    ) async throws -> Response {
        let token = try TestApplication.token(tenant: tenant, user: user)
        var headers: [(Headers.Name, String)] = []
        if let key { headers.append(("Idempotency-Key", key)) }
        return try await server.send(method, path, token: token, body, headers: headers)
    }

    private func isReplayed(_ response: Response) -> Bool { response.headers["Idempotency-Replayed"] == "true" }

    @Test(arguments: [SwiftletHTTP.Method.post, .patch])
    func `a request takes effect once, and has the same answer again`(method: SwiftletHTTP.Method) async throws {
        try await with { server in
            let first = try await send(server, "a", key: "\"k1\"", method: method)
            #expect(first.status == .created)
            #expect(!isReplayed(first))
            let again = try await send(server, "a", key: "k1", method: method)
            #expect(isReplayed(again))
            #expect(again.status == .created)
            #expect(again.text == first.text)
            #expect(again.headers.all("X-Mark") == ["a: b", "c"])
            #expect(again.headers.all(.contentType) == first.headers.all(.contentType))
            #expect(again.headers[.accessControlExposeHeaders]?.contains("idempotency-replayed") == true)
            #expect(again.headers.all(.xRequestID).count == 1)
            #expect(again.headers[.xRequestID] != first.headers[.xRequestID])
            #expect(try server.count("marks") == 1)
        }
    }

    @Test func `without a key, or by a method that has none, each request takes effect`() async throws {
        try await with { (server) async throws in
            for _ in 0..<2 {
                #expect(try await send(server, "a", key: nil).status == .created)
                #expect(try await send(server, "a", key: "k1", method: .put).status == .created)
                #expect(try await send(server, "", key: "k1", path: "/marks/open").status == .noContent)
            }
            #expect(try server.count("marks") == 4)
            #expect(try server.count("swiftlet.idempotency_keys") == 0)
        }
    }

    @Test func `a key belongs to one user in one tenant`() async throws {
        try await with { server in
            for (tenant, user) in [("a", "ann"), ("a", "bob"), ("b", "ann")] {
                let first = try await send(server, "a", key: "k1", tenant: tenant, user: user)
                #expect(first.status == .created && !isReplayed(first))
                #expect(try await isReplayed(send(server, "a", key: "k1", tenant: tenant, user: user)))
            }
            #expect(try server.count("marks") == 3)
        }
    }

    @Test(arguments: [
        ("b", "/marks", SwiftletHTTP.Method.post), ("a", "/marks?x=1", .post), ("a", "/marks", .patch),
    ])
    func `a key with another request is refused`(
        body: String,
        path: String,
        method: SwiftletHTTP.Method
    ) async throws {
        try await with { server in
            let first = try await send(server, "a", key: "k1")
            let refused = try await send(server, body, key: "k1", method: method, path: path)
            #expect(refused.status == .unprocessableContent)
            #expect(refused.text.contains("IDEMPOTENCY_KEY_REUSED"))
            #expect(try await send(server, "a", key: "k1").text == first.text)
            #expect(try server.count("marks") == 1)
        }
    }

    @Test(arguments: [("forbidden", 403, 0), ("twice", 409, 0), ("conflict", 409, 1)])
    func `a refusal is kept, and what it had done before is undone`(
        body: String,
        status: Int,
        rows: Int
    ) async throws {
        try await with { server in
            let first = try await send(server, body, key: "k1")
            let again = try await send(server, body, key: "k1")
            #expect(first.status.rawValue == status && again.status.rawValue == status)
            #expect(!isReplayed(first) && isReplayed(again))
            #expect(first.text == again.text)
            #expect(try server.count("marks") == rows)
        }
    }

    @Test(arguments: [("broken", 500), ("busy", 503), ("too many", 429)])
    func `what may go well later is not kept, and changes nothing`(body: String, status: Int) async throws {
        try await with { server in
            for _ in 0..<2 {
                let failed = try await send(server, body, key: "k1")
                #expect(failed.status.rawValue == status)
                #expect(!isReplayed(failed))
            }
            #expect(try server.count("marks") == 0)
            #expect(try server.count("swiftlet.idempotency_keys") == 0)
            #expect(try await send(server, "a", key: "k1").status == .created)
        }
    }

    @Test(arguments: ["bytes", "nothing"])
    func `a body of any bytes is kept`(body: String) async throws {
        try await with { (server) async throws in
            let first = try await send(server, body, key: "k1")
            let again = try await send(server, body, key: "k1")
            #expect(isReplayed(again))
            #expect(again.status == first.status)
            #expect(again.body == first.body)
        }
    }

    @Test func `a large answer is not kept, but its request takes effect once`() async throws {
        try await with { server in
            #expect(try await send(server, "large", key: "k1").body.count == 262_145)
            let again = try await send(server, "large", key: "k1")
            #expect(again.status == .conflict)
            #expect(again.text.contains("IDEMPOTENCY_ANSWER_NOT_KEPT"))
            #expect(try server.count("marks") == 1)
        }
    }

    @Test func `a key that is under way is refused until its request has ended`() async throws {
        let gate = Gate()
        try await with(gate) { server in
            let first = Task { try await send(server, "wait", key: "k1") }
            await gate.reached()
            // Another server of the same database.
            try await TestApplication.with([Self.marks()], databaseURL: server.databaseURL) { other in
                let second = try await send(other, "wait", key: "k1")
                #expect(second.status == .conflict)
                #expect(second.text.contains("IDEMPOTENCY_KEY_IN_FLIGHT"))
                #expect(second.headers[.retryAfter] == "1")
                #expect(try await send(other, "wait", key: "k1", user: "bob").status == .created)
            }
            gate.open()
            #expect(try await first.value.status == .created)
            #expect(try await isReplayed(send(server, "wait", key: "k1")))
            #expect(try server.count("marks") == 2)
        }
    }

    @Test func `of 20 clients at once, one takes effect`() async throws {
        try await with { server in
            let answers = try await withThrowingTaskGroup(of: Response.self) { group in
                for _ in 0..<20 { group.addTask { try await send(server, "a", key: "k1") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let done = answers.filter { $0.status == .created }
            #expect(Set(done.map(\.text)).count == 1)
            #expect(done.count { !isReplayed($0) } == 1)
            #expect(answers.allSatisfy { $0.status == .created || $0.text.contains("IDEMPOTENCY_KEY_IN_FLIGHT") })
            #expect(try server.count("marks") == 1)
            #expect(try server.count("swiftlet.idempotency_keys") == 1)
        }
    }

    @Test func `a day later the key is free`() async throws {
        try await with { server in
            _ = try await send(server, "a", key: "k1")
            try server.execute("UPDATE swiftlet.idempotency_keys SET created_at = now() - interval '23 hours'")
            #expect(try await isReplayed(send(server, "a", key: "k1")))
            try server.execute("UPDATE swiftlet.idempotency_keys SET created_at = now() - interval '25 hours'")
            let other = try await send(server, "other", key: "k1")
            #expect(other.status == .created && !isReplayed(other))
            #expect(try await isReplayed(send(server, "other", key: "k1")))
            #expect(try server.count("marks") == 2)
        }
    }

    @Test func `keys of the day before are forgotten, all of them`() async throws {
        try await with { server in
            _ = try await send(server, "a", key: "k1")
            try server.execute(
                """
                INSERT INTO swiftlet.idempotency_keys (scope, key, fingerprint, status, headers, created_at)
                SELECT 's', i::text, '', 200, '', now() - interval '25 hours' FROM generate_series(1, 5001) i
                """
            )
            let context = server.application.backgroundContext(BackgroundWork(name: "purge", requestID: "-"))
            #expect(try await IdempotencyPurge.run(context) == 5001)
            #expect(try await IdempotencyPurge.run(context) == 0)
            #expect(try await isReplayed(send(server, "a", key: "k1")))
        }
    }

    @Test(arguments: ["", "\"\"", "a b", "\u{e9}", String(repeating: "k", count: 256)])
    func `what is no key is refused`(key: String) async throws {
        try await with { server in
            let refused = try await send(server, "a", key: key)
            #expect(refused.status == .badRequest)
            #expect(refused.text.contains("INVALID_IDEMPOTENCY_KEY"))
            #expect(try server.count("marks") == 0)
        }
    }

    @Test func `a key of 255 characters is one`() async throws {
        try await with { (server) async throws in
            let key = "\"\(String(repeating: "k", count: 255))\""
            for _ in 0..<2 {
                #expect(try await send(server, "a", key: key).status == .created)
            }
            #expect(try server.count("marks") == 1)
        }
    }

    @Test func `a database without the table serves requests without a key`() async throws {
        let sql = Self.table + "; DROP TABLE swiftlet.idempotency_keys"
        try await TestApplication.with([Self.marks()], sql: sql) { server in
            let refused = try await send(server, "a", key: "k1")
            #expect(refused.status == .serviceUnavailable)
            #expect(refused.text.contains("IDEMPOTENCY_UNAVAILABLE"))
            #expect(try await send(server, "a", key: nil).status == .created)
            #expect(try server.count("marks") == 1)
        }
    }

    @Test func `nobody but the server reads the answers`() async throws {
        try await with { server in
            _ = try await send(server, "a", key: "k1")
            for role in ["anon", "authenticated"] {
                let rows = try BlockingConnection.connect(to: server.databaseURL).query(
                    "SELECT has_table_privilege('\(role)', 'swiftlet.idempotency_keys', 'SELECT, INSERT, UPDATE, DELETE')"
                )
                #expect(rows.first?[0] == "f")
            }
        }
    }
}

/// Holds a handler until the test has seen that it runs.
private final class Gate: Sendable {
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let releases = AsyncStream.makeStream(of: Void.self)

    func pass() async {
        arrivals.continuation.yield()
        for await _ in releases.stream { return }
    }

    func reached() async { for await _ in arrivals.stream { return } }

    func open() { releases.continuation.yield() }
}
