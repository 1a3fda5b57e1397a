import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletWeb

/// Several calls in one request.
@Suite(.needsDatabase, .hangLimit)
struct BatchTests {
    private static let functions = [
        Function("marks") {
            Post { request, context in
                let text = try request.jsonObject()["text"]?.string ?? ""
                let rows = try await context.database.query(
                    "INSERT INTO marks (tenant_id, text) VALUES (\(context.tenant), \(text)) RETURNING id"
                )
                if text == "twice" {
                    _ = try await context.database.query(
                        "INSERT INTO marks (id, tenant_id, text) SELECT id, \(context.tenant), text FROM marks LIMIT 1"
                    )
                }
                if text == "nothing" { return Response(status: .noContent) }
                if text == "large" {
                    return .json(.created, ["text": .string(String(repeating: "x", count: 9 << 20))])
                }
                return try .json(
                    .created,
                    ["id": rows.first?.json("id") ?? .null, "text": .string(text), "at": "2024-01-15T10:30:00.123"]
                )
            }
            Get("/:id") { request, context in
                let id = try context.parameters.require("id", as: String.self)
                let rows = try await context.database.query(
                    "SELECT id, text FROM marks WHERE tenant_id = \(context.tenant) AND id::text = \(id)"
                )
                guard let row = rows.first else { throw APIError.notFound }
                return .json([
                    "id": try row.json("id"), "text": try row.json("text"), "q": .string(request.encodedQuery),
                ])
            }
            Post("/limited") { _, _ in Response.success }.limited(to: 2, per: .seconds(3600))
            Delete("/admin") { _, _ in Response.success }.requiring(level: 8)
            Get("/echo") { request, context in
                .json([
                    "prefer": .string(request.header(.prefer) ?? ""),
                    "address": .string(ClientAddress(request).text), "user": .string(try context.user.id),
                ])
            }
        },
        Function("own") {
            Get { request, _ in .json(["key": .string(request.header("apikey") ?? "")]) }.checkedByHandler()
        },
        Function("pictures") { Get { _, _ in Response(body: [0xFF, 0xD8, 0x00, 0x80]) } },
        Function("secrets") { Get { _, _ in Response.success } }.uncompressed(),
    ]

    private static let table =
        "CREATE TABLE marks (id serial PRIMARY KEY, tenant_id varchar NOT NULL, text text NOT NULL)"

    private static func with(
        _ configure: (inout ApplicationConfiguration) -> Void = { _ in },
        _ body: (TestApplication) async throws -> Void
    ) async throws {
        try await TestApplication.with(functions, sql: table, configure: configure, body)
    }

    private static func send(
        _ server: TestApplication,
        _ body: String,
        headers: [(Headers.Name, String)] = []
    ) async throws -> Response {
        let token = try TestApplication.token(tenant: "acme", user: "ann")
        return try await server.send(.post, "/batch", token: token, body, headers: headers)
    }

    private static func statuses(_ response: Response) throws -> [Int] {
        try response.jsonObject()["responses"]?.array?.compactMap { $0["status"]?.int } ?? []
    }

    private static let three = """
        {"id":"a","method":"POST","path":"/marks","body":{"text":"one"}},
        {"id":"b","method":"post","path":"/functions/v1/marks/{a.id}?q={a.text}"},
        {"method":"POST","path":"/marks","body":{"text":{"$from":"b.text"},"more":[{"$from":"a.id"}]}}
        """

    @Test(arguments: [true, false])
    func `makes each call in turn, with what earlier ones have answered`(isTransaction: Bool) async throws {
        try await Self.with { server async throws in
            let calls = Self.three.replacing(#""method":"post","path":"/fu"#, with: #""method":"get","path":"/fu"#)
            let answer = try await Self.send(server, #"{"transaction":\#(isTransaction),"requests":[\#(calls)]}"#)
            #expect(answer.status == .ok, "\(answer.text)")
            #expect(try Self.statuses(answer) == [201, 200, 201])
            let responses = try answer.jsonObject()["responses"]?.array ?? []
            #expect(responses.map { $0["id"] } == ["a", "b", "2"])
            #expect(responses.map { $0["body"]?["text"] } == ["one", "one", "one"])
            #expect(responses[0]["body"]?["at"] == "2024-01-15T10:30:00Z")
            #expect(responses[1]["body"]?["q"] == "q=one")
            #expect(responses[0]["headers"]?["content-type"]?.string?.hasPrefix("application/json") == true)
            #expect(Set(responses.compactMap { $0["headers"]?["x-request-id"]?.string }).count == 3)
            #expect(try server.count("marks WHERE tenant_id = 'acme'") == 2)
        }
    }

    @Test(arguments: [("twice", 409), ("DELETE", 403), ("missing", 404)])
    func `a transaction is undone as a whole, and each on its own is not`(failure: String, status: Int) async throws {
        let call =
            switch failure {
            case "DELETE": #"{"id":"x","method":"DELETE","path":"/marks/admin"}"#
            case "missing": #"{"id":"x","method":"GET","path":"/marks/77"}"#
            default: #"{"id":"x","method":"POST","path":"/marks","body":{"text":"\#(failure)"}}"#
            }
        let calls =
            #"{"method":"POST","path":"/marks","body":{"text":"one"}},\#(call),{"method":"POST","path":"/marks","body":{"text":"two"}}"#
        try await Self.with { server async throws in
            let undone = try await Self.send(server, #"{"transaction":true,"requests":[\#(calls)]}"#)
            #expect(undone.status.rawValue == status)
            #expect(try undone.jsonObject()["code"] == "BATCH_UNDONE")
            #expect(try Self.statuses(undone) == [201, status])
            #expect(try server.count("marks") == 0)

            let single = try await Self.send(server, #"{"requests":[\#(calls)]}"#)
            #expect(single.status == .ok)
            #expect(try Self.statuses(single) == [201, status, 201])
            // A function that is in no transaction itself keeps what it did before it failed.
            #expect(try server.count("marks WHERE text IN ('one', 'two')") == 2)
        }
    }

    @Test func `a key makes a transaction take effect once`() async throws {
        try await Self.with { server async throws in
            let body = #"{"transaction":true,"requests":[{"method":"POST","path":"/marks","body":{"text":"one"}}]}"#
            let first = try await Self.send(server, body, headers: [("Idempotency-Key", "k")])
            let again = try await Self.send(server, body, headers: [("Idempotency-Key", "k")])
            #expect(first.status == .ok && first.body == again.body)
            #expect(again.headers["Idempotency-Replayed"] == "true")
            #expect(try server.count("marks") == 1)
            let loose = body.replacing("true", with: "false")
            #expect(try await Self.send(server, loose, headers: [("Idempotency-Key", "l")]).status == .badRequest)
            let inner = #"{"method":"POST","path":"/marks","headers":{"Idempotency-Key":"m"},"body":{"text":"two"}}"#
            #expect(try await Self.send(server, #"{"transaction":true,"requests":[\#(inner)]}"#).status == .badRequest)
            for _ in 0..<2 {
                #expect(try Self.statuses(try await Self.send(server, #"{"requests":[\#(inner)]}"#)) == [201])
            }
            #expect(try server.count("marks") == 2)
        }
    }

    @Test func `what needs a failed call is not made`() async throws {
        try await Self.with { server async throws in
            let calls = """
                {"id":"a","method":"GET","path":"/marks/77"},{"id":"b","method":"GET","path":"/marks/{a.id}"},
                {"id":"c","method":"POST","path":"/marks","body":{"text":{"$from":"b.text"}}},
                {"id":"d","method":"POST","path":"/marks","body":{"text":"nothing"}},
                {"id":"e","method":"GET","path":"/marks/{d.id}"},
                {"id":"f","method":"POST","path":"/marks","body":{"text":"../admin?x=1#y"}},
                {"id":"g","method":"GET","path":"/marks/{f.text}"},{"id":"h","method":"GET","path":"/marks/{f.none.0}"}
                """
            let answer = try await Self.send(server, #"{"requests":[\#(calls)]}"#)
            #expect(try Self.statuses(answer) == [404, 424, 424, 204, 424, 201, 404, 424])
            #expect(try server.count("marks") == 2)
        }
    }

    @Test(arguments: [
        ("{}", "requests"), (#"{"requests":[]}"#, "requests"), (#"{"transaction":1,"requests":[]}"#, "transaction"),
        (#"{"requests":[7]}"#, "requests.0"), (#"{"requests":[{"path":"/marks"}]}"#, "requests.0.method"),
        (#"{"requests":[{"method":"OPTIONS","path":"/marks"}]}"#, "requests.0.method"),
        (#"{"requests":[{"method":"GET","path":"marks"}]}"#, "requests.0.path"),
        (#"{"requests":[{"method":"GET","path":"/a b"}]}"#, "requests.0.path"),
        (#"{"requests":[{"method":"GET","path":"/a\r\nX: y"}]}"#, "requests.0.path"),
        (#"{"requests":[{"method":"GET","path":"/{a"}]}"#, "requests.0.path"),
        (#"{"requests":[{"method":"GET","path":"/}{a.b}"}]}"#, "requests.0.path"),
        (#"{"requests":[{"method":"GET","path":"/{a.b}"}]}"#, "requests.0.path"),
        (#"{"requests":[{"id":"a","method":"GET","path":"/{a.b}"}]}"#, "requests.0.path"),
        (#"{"requests":[{"method":"POST","path":"/","body":{"$from":"a.b"}}]}"#, "requests.0.body"),
        (#"{"requests":[{"id":"a.b","method":"GET","path":"/"}]}"#, "requests.0.id"),
        (#"{"requests":[{"id":"1","method":"GET","path":"/"},{"method":"GET","path":"/"}]}"#, "requests.1.id"),
        (#"{"requests":[{"method":"GET","path":"/","headers":{"Authorization":"x"}}]}"#, "requests.0.headers"),
        (#"{"requests":[{"method":"GET","path":"/","headers":{"X-Forwarded-For":"1.1.1.1"}}]}"#, "requests.0.headers"),
        (#"{"requests":[{"method":"GET","path":"/","headers":{"Prefer":"a\r\nb: c"}}]}"#, "requests.0.headers"),
    ])
    func `names what is wrong`(body: String, field: String) throws {
        let object = try #require(try JSONParser.parse(Array(body.utf8)).object)
        let error = try #require(throws: APIError.self) { _ = try BatchBody(object) }
        #expect(error.status == .badRequest && error.details[field] != nil, "\(error.details)")
    }

    @Test func `has no batch within a batch, no secrets, and not more calls than a hundred`() async throws {
        try await Self.with { server async throws in
            let inner = #"{"method":"POST","path":"/functions/v1/batch","body":{"requests":[]}}"#
            let calls =
                #"\#(inner),{"method":"GET","path":"/secrets"},{"method":"GET","path":"/health"},{"method":"GET","path":"/nowhere"}"#
            let answer = try await Self.send(server, #"{"requests":[\#(calls)]}"#)
            #expect(try Self.statuses(answer) == [400, 400, 400, 404])
            #expect(answer.text.contains("NOT_IN_BATCH"))
            let many = Array(repeating: #"{"method":"GET","path":"/marks/1"}"#, count: 101)
            #expect(
                try await Self.send(server, #"{"requests":[\#(many.joined(separator: ","))]}"#).status == .badRequest
            )
            let most = try await Self.send(server, #"{"requests":[\#(many.dropLast().joined(separator: ","))]}"#)
            #expect(try Self.statuses(most) == Array(repeating: 404, count: 100))
            #expect(try await server.send(.post, "/batch", "{}").status == .unauthorized)
        }
    }

    @Test func `each call is the caller's, from the caller's address`() async throws {
        try await Self.with { server async throws in
            let echo = #"{"method":"GET","path":"/marks/echo","headers":{"Prefer":"a"}}"#
            let own = #"{"method":"GET","path":"/own"}"#
            let headers: [(Headers.Name, String)] = [
                ("X-Forwarded-For", "203.0.113.9"), ("apikey", "mine"), ("Prefer", "b"),
            ]
            let answer = try await Self.send(server, #"{"requests":[\#(echo),\#(own)]}"#, headers: headers)
            let bodies = try answer.jsonObject()["responses"]?.array?.compactMap { $0["body"] } ?? []
            #expect(bodies[0] == ["prefer": "a", "address": "203.0.113.9", "user": "ann"])
            #expect(bodies[1] == ["key": "mine"])
            let refused = try await Self.send(server, #"{"transaction":true,"requests":[\#(own)]}"#)
            #expect(refused.status == .badRequest && refused.text.contains("NOT_IN_BATCH"))
        }
    }

    @Test func `counts as many requests as it has calls`() async throws {
        let configure = { (configuration: inout ApplicationConfiguration) in
            configuration.rates.general = [RateLimit(5, per: .seconds(3600), by: .account)]
        }
        try await Self.with(configure) { server async throws in
            let limited = Array(repeating: #"{"method":"POST","path":"/marks/limited"}"#, count: 3)
            let answer = try await Self.send(server, #"{"requests":[\#(limited.joined(separator: ","))]}"#)
            #expect(try Self.statuses(answer) == [200, 200, 429])
            let free = Array(repeating: #"{"method":"GET","path":"/marks/echo"}"#, count: 4)
            let more = try await Self.send(server, #"{"requests":[\#(free.joined(separator: ","))]}"#)
            #expect(try Self.statuses(more) == [200, 200, 200, 429])
            #expect(try await Self.send(server, "{}").status == .tooManyRequests)
        }
    }

    @Test func `an answer that is too large is left out, and undoes a transaction`() async throws {
        try await Self.with { server async throws in
            let large = #"{"method":"POST","path":"/marks","body":{"text":"large"}}"#
            let alone = try await Self.send(server, #"{"requests":[\#(large)]}"#)
            // The row is there, so it is no failure.
            let kept = try alone.jsonObject()["responses"]?[0]
            #expect(kept?["status"] == 201 && kept?["body"] == .null && kept?["omitted"] == "BATCH_ANSWER_TOO_LARGE")
            let together = try await Self.send(server, #"{"transaction":true,"requests":[\#(large)]}"#)
            #expect(together.status == .unprocessableContent)
            #expect(try server.count("marks") == 1)
        }
    }

    @Test func `a body that is no text comes in Base64`() async throws {
        try await Self.with { server async throws in
            let answer = try await Self.send(server, #"{"requests":[{"method":"GET","path":"/pictures"}]}"#)
            let picture = try answer.jsonObject()["responses"]?[0]
            #expect(picture?["body"] == "/9gAgA==" && picture?["encoding"] == "base64")
        }
    }

    @Test func `what calls refer to counts as a part of them`() async throws {
        try await Self.with { server async throws in
            let large =
                #"{"id":"l","method":"POST","path":"/marks","body":{"text":"\#(String(repeating: "x", count: 60_000))"}}"#
            let many = Array(repeating: #"{"$from":"l.text"}"#, count: 18).joined(separator: ",")
            let calls = """
                \(large),{"method":"POST","path":"/marks","body":{"text":"a","more":[\(many)]}},
                {"method":"POST","path":"/marks","body":{"text":"b","more":[{"$from":"l.text"},{"$from":"l.text"}]}},
                {"method":"GET","path":"/marks/{l.text}"},
                {"method":"GET","path":"/marks/\(String(repeating: "{l.id}", count: 1_300))"},
                {"method":"GET","path":"/marks/\(String(repeating: "{l.at}", count: 1_300))"}
                """
            let answer = try await Self.send(server, #"{"requests":[\#(calls)]}"#)
            #expect(try Self.statuses(answer) == [201, 413, 201, 414, 404, 414])
            #expect(try server.count("marks") == 2)
        }
    }

    @Test func `an app's own function of that name counts`() async throws {
        let own = Function("batch") { Post { _, _ in Response.success } }
        try await TestApplication.with([own]) { server async throws in
            #expect(try await Self.send(server, "{}").text == #"{"success":true}"#)
        }
    }
}
