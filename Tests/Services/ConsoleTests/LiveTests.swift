import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Synchronization
import Testing

@testable import SwiftletConsole

@Suite(.needsDatabase, .hangLimit) struct LiveTests {
    private static let tables = """
        CREATE TABLE notes (id integer PRIMARY KEY, text text, api_token text);
        CREATE TABLE keys (secret text PRIMARY KEY, note text);
        CREATE TABLE "a,b & c" (id integer PRIMARY KEY);
        CREATE PUBLICATION supabase_realtime FOR TABLE notes;
        """

    /// What the server's own service was asked.
    private final class Asked: Sendable {
        let requests = Mutex<[Request]>([])

        func last(_ name: String) -> String? { requests.withLock { $0.last?.query[name] } }
    }

    private static func with(
        _ answer: Response = Response(json: Array(#"{"streamed":true}"#.utf8)),
        _ body: (ConsoleServer, Asked) async throws -> Void
    ) async throws {
        let asked = Asked()
        let issuer = try TokenIssuer(secret: Secret("a secret for tokens that is long enough for every test"))
        try await ConsoleServer.with(sql: tables) {
            $0.issuer = { issuer }
            $0.call = { request in
                asked.requests.withLock { $0.append(request) }
                return answer
            }
        } _: { server in
            try await body(server, asked)
        }
    }

    @Test func `published tables are listed`() async throws {
        try await Self.with { server, _ in
            let answer = try await server.enter(.viewer).ask(.get, "live")
            #expect(answer["tables"] == [["schema": "public", "name": "notes", "isWhole": false]])
            #expect(answer["isRead"] == false)
        }
    }

    @Test func `changes come from the service, from where the page was`() async throws {
        try await Self.with { server, asked in
            let session = try await server.enter()
            let answer = try await session.ask(
                .get,
                "live/public/notes?event=UPDATE&filter=text%3Deq.a%2526b&since=17.1.0"
            )
            #expect(answer["streamed"] == true)
            #expect(asked.last("table") == "notes")
            #expect(asked.last("schema") == "public")
            #expect(asked.last("event") == "UPDATE")
            #expect(asked.last("filter") == "text=eq.a%26b")
            #expect(asked.last("since") == "17.1.0")
            #expect(asked.last("select") == nil)
            _ = try await session.ask(.get, "live/public/a%2Cb%20%26%20c")
            #expect(asked.last("table") == "a,b & c")
        }
    }

    @Test func `what is hidden from viewers is not told them`() async throws {
        try await Self.with { server, asked in
            let viewer = try await server.enter(.viewer)
            _ = try await viewer.ask(.get, "live/public/notes")
            #expect(asked.last("select") == "id,text")
            let count = asked.requests.withLock(\.count)
            for path in ["live/public/notes?filter=api_token%3Deq.x", "live/public/keys"] {
                let answer = try await viewer.ask(.get, path, status: .badRequest)
                #expect(answer["error"]?["message"]?.string?.contains("hidden from viewers") == true)
            }
            #expect(asked.requests.withLock(\.count) == count)
        }
    }

    @Test func `it is said what the service must be granted`() async throws {
        var refusal = Response(json: Array(#"{"message":"no permission to read public.a","code":"X"}"#.utf8))
        refusal.status = .badRequest
        try await Self.with(refusal) { server, _ in
            let answer = try await server.enter().ask(.get, "live/public/a%2Cb%20%26%20c", status: .badRequest)
            let message = answer["error"]?["message"]?.string
            #expect(message?.hasSuffix(#"GRANT SELECT ON "public"."a,b & c" TO service_role"#) == true)
        }
    }

    @Test func `nobody is told without a session, or of tables that are not there`() async throws {
        try await Self.with { server, asked in
            #expect(try await server.send(.get, "live/public/notes").status == .unauthorized)
            _ = try await server.enter().ask(.get, "live/public/nothing", status: .notFound)
            #expect(asked.requests.withLock(\.count) == 0)
        }
    }

    @Test(arguments: [
        #"{"error":{"code":"CURSOR_EXPIRED","message":"Read anew."}}"#,
        #"{"error":"Read anew.","message":"Read anew.","code":"CURSOR_EXPIRED"}"#,
    ])
    func `a refusal keeps its code and words`(body: String) async throws {
        var refusal = Response(json: Array(body.utf8))
        refusal.status = .gone
        try await Self.with(refusal) { server, _ in
            let answer = try await server.enter().ask(.get, "live/public/notes?since=1.2.3", status: .gone)
            #expect(answer["error"]?["code"] == "CURSOR_EXPIRED")
            #expect(answer["error"]?["message"] == "Read anew.")
        }
    }
}
