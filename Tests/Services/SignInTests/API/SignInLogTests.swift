import SwiftletJSON
import SwiftletWeb
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletSignIn

/// What the request log says about sign-in.
@Suite(.needsDatabase, .hangLimit)
struct SignInLogTests {
    /// Every log line that sign-in writes while `body` runs.
    private func lines(
        sql: String = "",
        _ body: (SignInServer) async throws -> Void
    ) async throws -> [JSONValue] {
        let written = Mutex<[UInt8]>([])
        let sink = LogSink(.json) { bytes in
            written.withLock { $0 += bytes }
            return bytes.count
        }
        let server = try await SignInServer.start(sql: sql, requestLog: RequestLog(.json, to: sink))
        try await body(server)
        await server.stop()
        sink.flush(within: .seconds(5))
        return try written.withLock {
            try $0.split(separator: UInt8(ascii: "\n")).map { try JSONParser.parse(Array($0)) }
        }
    }

    @Test(arguments: ["/auth/v1/token?grant_type=password", "/mobile-auth/login"])
    func `a line has the rows of its request's statements, and their time`(target: String) async throws {
        let lines = try await lines { server in
            _ = try await server.signUp("ada@example.com")
            let credentials: JSONValue = ["email": "ada@example.com", "password": .string(SignInServer.password)]
            let answer = try await server.send(.post, target, credentials, headers: [("X-Request-ID", "the-login")])
            #expect(answer.status == 200)
        }
        let line = try #require(lines.first { $0["request_id"]?.string == "the-login" })
        #expect((1...10).contains(line["rows"]?.int ?? 0))
        let (database, whole) = (try #require(line["db_us"]?.int), try #require(line["duration_us"]?.int))
        #expect(database > 0)
        #expect(database <= whole)
    }

    @Test func `a line names the account and its tenant once they are known`() async throws {
        let id = "11111111-2222-4333-8444-555555555555"
        let row = "INSERT INTO users (id, tenant_id, email) VALUES ('\(id)', 'acme', 'ada@example.com')"
        let lines = try await lines(sql: row) { server in
            let account: JSONValue = [
                "id": .string(id), "email": "ada@example.com", "password": .string(SignInServer.password),
                "email_confirm": true,
            ]
            #expect(try await server.admin(.post, "", account).status == 200)
            #expect(try await server.signIn("ada@example.com", "wrong").status == 400)
            let session = try await server.signIn("ada@example.com")
            _ = try await server.refresh(session.text("refresh_token"))
            _ = try await server.auth(.get, "/user", token: session.text("access_token"))
            _ = try await server.auth(.post, "/logout", token: session.text("access_token"))
            _ = try await server.auth(.get, "/user", token: "no.token.here")
        }
        let callers = lines.map { [$0["user"]?.string, $0["tenant"]?.string] }
        #expect(
            callers == [[nil, nil], [nil, nil]] + [[String?]](repeating: [id, "acme"], count: 4) + [[nil, nil]]
        )
    }
}
