import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Swiftlet
@testable import SwiftletCheckIns
import Testing

/// Which devices are whose, and for how long.
@Suite(.needsDatabase, .hangLimit)
struct PushRegistrationTests {
    private static func phone(_ token: String, _ platform: String = "ios") -> String {
        #"{"token":"\#(token)","platform":"\#(platform)","app":"example.app"}"#
    }

    private static let session = "a0000000-0000-4000-8000-000000000001"
    private static let account = "a0000000-0000-4000-8000-00000000000a"

    @Test(arguments: ["00FC13ADFF785122", "<00fc13ad ff785122>", " 00fc13ad\\tff785122 "])
    func `an Apple token is one however it is written`(spelling: String) async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            #expect(try await circle.status("/push-tokens", as: "ada", Self.phone("00fc13adff785122")) == 201)
            let registered = try await circle.post("/push-tokens", as: "bob", Self.phone(spelling))
            #expect(registered["token"] == "00fc13adff785122")
            #expect(try circle.count("push_tokens") == 1)
            #expect(try circle.count("push_tokens WHERE user_id = 'bob'") == 1)
            let path = "/push-tokens/%3C00FC13AD%20ff785122%3E"
            #expect(try await circle.send(.delete, path, as: "ada").status == .notFound)
            #expect(try await circle.send(.delete, path, as: "bob").status == .ok)
        }
    }

    @Test func `Google's tokens differ by their case`() async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            for token in ["aB", "AB", "ab"] {
                #expect(try await circle.status("/push-tokens", as: token, Self.phone(token, "android")) == 201)
            }
            #expect(try circle.count("push_tokens") == 3)
            #expect(try await circle.send(.delete, "/push-tokens/Ab", as: "ab").status == .notFound)
        }
    }

    @Test func `the oldest of too many devices give way`() async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            for number in 0..<23 {
                #expect(try await circle.status("/push-tokens", as: "ada", Self.phone("t\(number)", "android")) == 201)
            }
            let list = try JSONParser.parse(try await circle.send(.get, "/push-tokens", as: "ada").body)
            #expect(list["total"] == 20)
            #expect(list["data"]?[0]?["token"] == "t3")
        }
    }

    @Test func `a registration ends with its session, and all of a person with the account`() async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            try circle.server.execute(
                """
                INSERT INTO auth.users (id, email) VALUES ('\(Self.account)', 'ada@example.com');
                INSERT INTO auth.sessions (id, user_id) VALUES ('\(Self.session)', '\(Self.account)');
                """
            )
            let claims = #"{"sub":"\#(Self.account)","session_id":"\#(Self.session)","exp":4000000000}"#
            let token = try Circle.token(claims)
            let made = try await circle.server.send(.post, "/push-tokens", token: token, Self.phone("aa"))
            #expect(made.status == .created)
            // Another issuer's sessions are not ours to end.
            #expect(try await circle.status("/push-tokens", as: Self.account, Self.phone("bb")) == 201)
            try await circle.join("bob")
            try await circle.link(Self.account, to: "bob")
            try circle.server.execute("DELETE FROM auth.sessions")
            #expect(try circle.count("push_tokens WHERE token = 'aa'") == 0)
            #expect(try circle.count("push_tokens WHERE token = 'bb'") == 1)
            _ = try await circle.post("/process-check-in", as: Self.account, #"{"nextCheckInInterval":600}"#)
            _ = try await circle.post("/trigger-alert", as: Self.account)
            try circle.server.execute("DELETE FROM auth.users")
            for table in ["push_messages", "check_ins", "alerts", "responders"] {
                #expect(try circle.count(table) == 0, "\(table)")
            }
            #expect(try circle.count("push_tokens") == 1)
        }
    }

    @Test func `a sender is told that nobody delivers`() async throws {
        try await TestApplication.with(checkIns.functions, values: .soon) { server async throws in
            let token = try Circle.token(#"{"sub":"ada","exp":4000000000}"#)
            let body = #"{"userId":"ada","title":"t","body":"b","deliveryTime":"2099-01-01T00:00:00Z"}"#
            for name in ["send-push-notification", "schedule-notification"] {
                let answer = try await server.send(.post, "/\(name)", token: token, body)
                #expect(answer.status == .serviceUnavailable)
                #expect(answer.text.contains("PUSH_UNAVAILABLE"))
            }
        }
    }

    @Test(arguments: ["from", "message_type", "google.c.a", "gcm", "aps"])
    func `a key that the services use themselves is refused`(name: String) async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            try await circle.join("ada")
            let body = #"{"userId":"ada","title":"t","body":"b","data":{"\#(name)":"x"}}"#
            let answer = try await circle.post("/send-push-notification", as: "ada", body)
            #expect(answer["details"]?["data"]?.string?.contains(name) == true)
        }
    }
}
