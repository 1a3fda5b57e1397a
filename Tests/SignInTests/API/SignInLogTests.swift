import JSON
import Swiftlet
import SwiftletTesting
import Synchronization
import Testing

@testable import SignIn

/// What the request log says about sign-in.
@Suite(.enabled(if: TestDatabase.url != nil, "set SWIFTLET_TEST_DATABASE_URL"), .timeLimit(.minutes(1)))
struct SignInLogTests {
    @Test(arguments: ["/auth/v1/token?grant_type=password", "/mobile-auth/login"])
    func `a line has the rows of its request's statements, and their time`(target: String) async throws {
        let written = Mutex<[UInt8]>([])
        let sink = LogSink(.json) { bytes in
            written.withLock { $0 += bytes }
            return bytes.count
        }
        let server = try await SignInServer.start(requestLog: RequestLog(.json, to: sink))
        _ = try await server.signUp("ada@example.com")
        let credentials: JSONValue = ["email": "ada@example.com", "password": .string(SignInServer.password)]
        let answer = try await server.send(.post, target, credentials, headers: [("X-Request-ID", "the-login")])
        #expect(answer.status == 200)
        await server.stop()
        sink.flush(within: .seconds(5))
        let lines = try written.withLock {
            try $0.split(separator: UInt8(ascii: "\n")).map { try JSONParser.parse(Array($0)) }
        }
        let line = try #require(lines.first { $0["request_id"]?.string == "the-login" })
        #expect((1...10).contains(line["rows"]?.int ?? 0))
        let (database, whole) = (try #require(line["db_us"]?.int), try #require(line["duration_us"]?.int))
        #expect(database > 0 && database <= whole)
    }
}
