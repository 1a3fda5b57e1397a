import Swiftlet
import SwiftletBusiness
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb
import SwiftletTesting
import Testing

@Suite(
    .needsDatabase,
    .hangLimit
)
struct BorderTests {
    @Test(arguments: ["/health", "/", "/api/health"])
    func `health lists the functions for any method`(path: String) async throws {
        let names = business.functions.map(\.name).sorted()
        try await Shop.with { shop in
            for method in [Method.get, .post, .delete] {
                let response = try await shop.server.send(method, path)
                let body = try JSONParser.parse(response.body)
                #expect(response.status == .ok)
                #expect(body["status"] == "healthy")
                #expect(body["functions"] == .array(names.map { .string($0) }))
                #expect(body["timestamp"]?.string?.utf8.count == 20)
            }
        }
    }

    @Test func `readiness and metrics speak of the database`() async throws {
        try await Shop.with { shop in
            #expect(try await shop.server.send(.get, "/ready").status == .ok)
            _ = try await shop.alice.send(.get, "/tasks")
            let metrics = try await shop.server.send(.get, "/metrics").text
            #expect(metrics.contains(#"swiftlet_requests_total{function="tasks",method="GET",status="200"} 1"#))
            #expect(metrics.contains("swiftlet_database_connections{loop=\"0\"}"))
        }
    }

    @Test func `each request counts once, whatever path led to its page`() async throws {
        try await Shop.with { shop in
            for path in ["/", "/health", "/api/health"] { _ = try await shop.server.send(.get, path) }
            let metrics = try await shop.server.send(.get, "/metrics").text
            #expect(metrics.contains("swiftlet_requests_total{function=\"health\",method=\"GET\",status=\"200\"} 3\n"))
            #expect(metrics.contains("swiftlet_request_duration_seconds_count{function=\"health\"} 3\n"))
        }
    }

    @Test func `a client that leaves does not make the server unready`() async throws {
        try await Shop.with { shop in
            let request = try Request(target: "/ready")
            let application = shop.server.application
            let left = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await application.respond(to: request)
            }
            _ = await left.value
            #expect(try await shop.server.send(.get, "/ready").status == .ok)
        }
    }

    @Test(arguments: [
        ("https://app.example", "https://app.example"), ("https://evil.example", "https://app.example"),
        (nil, "https://app.example"),
    ])
    func `CORS headers stand on every response`(origin: String?, allowed: String) async throws {
        try await Shop.with { shop in
            let headers: [(Headers.Name, String)] = origin.map { [(.origin, $0)] } ?? []
            for target in ["/health", "/tasks", "/nothing", "/tasks?sort=x"] {
                let response = try await shop.alice.send(.get, target, headers: headers)
                #expect(response.headers.all(.accessControlAllowOrigin) == [allowed])
                #expect(response.headers[.vary] == "Origin")
                #expect(response.headers[.accessControlAllowCredentials] == "true")
                #expect(response.headers[.cacheControl] == "no-store")
                #expect(response.headers[.xContentTypeOptions] == "nosniff")
                #expect(response.headers.all(.xRequestID).count == 1)
            }
        }
    }

    @Test(arguments: ["/ready", "/metrics"], [Method.post, .put, .delete, .trace])
    func `a page that is only read refuses other methods`(path: String, method: Method) async throws {
        try await Shop.with { shop in
            let answer = try await shop.server.send(method, path)
            #expect(answer.status == .methodNotAllowed)
            #expect(answer.headers[.allow] == "GET, HEAD, OPTIONS")
            #expect(try await shop.server.send(.head, path).status == .ok)
            #expect(try await shop.server.send(method, "/health").status == .ok)
        }
    }

    @Test func `a preflight needs no token and allows what it asks for`() async throws {
        try await Shop.with { shop in
            let wanted: [(Headers.Name, String)] = [
                (.origin, "https://app.example"), (.accessControlRequestHeaders, "X-Custom, bad name"),
                (.accessControlRequestHeaders, "prefer"),
            ]
            let response = try await shop.server.send(.options, "/tasks/1", headers: wanted)
            #expect(response.status == .noContent)
            let allowed = response.headers.all(.accessControlAllowHeaders)
            #expect(allowed.count == 1)
            #expect(allowed.first?.hasSuffix("x-request-id, x-custom, prefer") == true)
        }
    }

    @Test(arguments: [("abc-1", true), ("", false), ("has space", false), (String(repeating: "x", count: 129), false)])
    func `a client's request id is echoed when it is printable`(id: String, isEchoed: Bool) async throws {
        try await Shop.with { shop in
            let response = try await shop.server.send(.get, "/health", headers: [(.xRequestID, id)])
            #expect((response.headers[.xRequestID] == id) == isEchoed)
        }
    }
}
