import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@Suite(
    .needsDatabase,
    .hangLimit
)
struct TenancyTests {
    @Test func `another tenant's rows are as absent as rows that never were`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.makeTask("Mine")
            let before = try await shop.alice.send(.get, "/tasks/\(id)").text
            let attempts: [(Method, String, String)] = [
                (.get, "/tasks/\(id)", ""),
                (.patch, "/tasks/\(id)", #"{"title":"Theirs"}"#),
                (.put, "/tasks/\(id)", #"{"title":"Theirs"}"#),
                (.get, "/tasks/\(id)/comments", ""),
                (.post, "/tasks/\(id)/comments", #"{"content":"x"}"#),
                (.get, "/tasks/\(id)/time", ""),
                (.post, "/tasks/\(id)/time", #"{"minutes":5}"#),
            ]
            for (method, target, body) in attempts {
                let theirs = try await shop.bob.send(method, target, body)
                let absent = try await shop.bob.send(method, target.replacing(id, with: "absent"), body)
                #expect(theirs.status == .notFound, "\(method) \(target)")
                #expect(absent.status == .notFound, "\(method) \(target)")
                let answers = try [theirs, absent].map { try JSONParser.parse($0.body)["message"] }
                #expect(answers[0] == answers[1])
            }
            #expect(try await shop.bob.send(.delete, "/tasks/\(id)").status == .ok)
            #expect(try await shop.bob.json(.get, "/tasks")["total"] == 0)
            #expect(try await shop.alice.send(.get, "/tasks/\(id)").text == before)
        }
    }

    @Test func `a create in another tenant's name stays in one's own`() async throws {
        try await Shop.with { shop in
            let task = try await shop.bob.json(.post, "/tasks", #"{"title":"x","tenant_id":"tenant-a"}"#)
            #expect(task["tenant_id"] == "tenant-b")
        }
    }

    @Test func `the tenant header moves platform users only, and only to tenants that exist`() async throws {
        try await Shop.with { shop in
            try shop.server.execute("INSERT INTO tenants (id, name, slug) VALUES ('tenant-a', 'A', 'a')")
            _ = try await shop.alice.makeTask()
            let platform = Shop.Caller(
                server: shop.server,
                token: try TestApplication.token(tenant: "home", user: "root", level: 8)
            )
            func total(_ caller: Shop.Caller, _ tenant: String) async throws -> JSONValue? {
                let response = try await caller.send(.get, "/tasks", headers: [(.xTenantID, tenant)])
                return try JSONParser.parse(response.body)["total"]
            }
            #expect(try await total(platform, "tenant-a") == 1)
            #expect(try await total(platform, "tenant-z") == 0)
            #expect(try await total(shop.bob, "tenant-a") == 0)
        }
    }

    @Test func `a token without tenant is a 400 and one without user a 401`() async throws {
        try await Shop.with { shop in
            #expect(try await shop.server.send(.get, "/tasks").status == .unauthorized)
            #expect(try await shop.server.send(.get, "/tasks", token: "garbage").status == .unauthorized)
            let signedOff = shop.alice.token.dropLast(3) + "AAA"
            let response = try await shop.server.send(.get, "/tasks", token: String(signedOff))
            #expect(response.status == .unauthorized)
            #expect(try JSONParser.parse(response.body)["error"] == "Unauthorized")
            #expect(response.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
        }
    }
}
