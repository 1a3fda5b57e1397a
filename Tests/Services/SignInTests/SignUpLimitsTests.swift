import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct SignUpLimitsTests {
    private func admitted(_ limits: SignUpLimits, _ times: Int, _ address: String) async throws -> Int {
        var count = 0
        for _ in 0..<times {
            do {
                try await limits.admit(address: address)
                count += 1
            } catch let error as SignInError where error.status == .tooManyRequests {
                let wait = try #require(error.retryAfterSeconds)
                #expect(error.code == "over_request_rate_limit")
                #expect((1...300).contains(wait))
            }
        }
        return count
    }

    @Test(arguments: [
        (["203.0.113.7"], 30), (["2001:db8:1:2::1", "2001:db8:1:2:ffff::3"], 30),
        (["127.0.0.1"], 40), (["172.17.0.1"], 40), ([""], 40), (["rubbish"], 40),
    ])
    func `takes thirty sign-ups from a public address`(addresses: [String], expected: Int) async throws {
        try await TestApplication.start([]).use { application in
            let limits = SignUpLimits(application.database)
            var count = 0
            for number in 0..<40 { count += try await admitted(limits, 1, addresses[number % addresses.count]) }
            #expect(count == expected)
            #expect(try await admitted(limits, 1, "198.51.100.1") == 1)
        }
    }

    @Test func `takes more when the first are five minutes old, and says when that is`() async throws {
        try await TestApplication.start([]).use { application in
            let limits = SignUpLimits(application.database)
            let aging = """
                UPDATE swiftlet.login_attempts SET failures = ARRAY(SELECT failure - interval '4 minutes' FROM unnest(failures) AS failure)
                """
            #expect(try await admitted(limits, 10, "203.0.113.7") == 10)
            try application.execute(aging)
            #expect(try await admitted(limits, 30, "203.0.113.7") == 20)
            do {
                try await limits.admit(address: "203.0.113.7")
                Issue.record("one more was admitted")
            } catch let error as SignInError {
                #expect((50...60).contains(error.retryAfterSeconds ?? 0))
            }
            try application.execute(aging)
            #expect(try await admitted(limits, 30, "203.0.113.7") == 10)
        }
    }

    @Test func `counts each of many at once`() async throws {
        try await TestApplication.start([]).use { application in
            let limits = SignUpLimits(application.database)
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<60 { group.addTask { try await admitted(limits, 1, "203.0.113.7") } }
                return try await group.reduce(0, +)
            }
            #expect(count == 30)
        }
    }

    @Test func `refuses sign-ups only, with and without an address`() async throws {
        try await SignInServer.start { $0.allowsAnonymousUsers = true }.use { server in
            let headers: [(Headers.Name, String)] = [("X-Forwarded-For", "203.0.113.7")]
            func signUp(_ number: Int) async throws -> SignInServer.Answer {
                let person: JSONValue = [
                    "email": .string("user-\(number)@example.org"), "password": .string(SignInServer.password),
                ]
                return try await server.auth(.post, "/signup", number % 2 == 0 ? person : [:], headers: headers)
            }
            // What is refused for itself does not count.
            let weak: JSONValue = ["email": "weak@example.org", "password": "x"]
            for _ in 0..<5 { #expect(try await server.auth(.post, "/signup", weak, headers: headers).status == 422) }
            let begun = ContinuousClock.now
            for number in 0..<30 { #expect(try await signUp(number).status == 200, "\(number)") }
            for number in 30..<32 {
                let refused = try await signUp(number)
                #expect(refused.status == 429)
                #expect(refused.code == "over_request_rate_limit")
                // Until the first one is five minutes old, however long all of them took.
                let earliest = 299 - Int((ContinuousClock.now - begun) / .seconds(1))
                let wait = try #require(refused.response.headers[.retryAfter].flatMap(Int.init))
                #expect((earliest...300).contains(wait))
            }
            let body: JSONValue = ["email": "user-0@example.org", "password": .string(SignInServer.password)]
            #expect(try await server.auth(.post, "/token?grant_type=password", body, headers: headers).status == 200)
            #expect(try server.value("SELECT count(*) FROM auth.users") == "30")
        }
    }

    @Test(arguments: ["/otp", "/recover", "/resend"])
    func `sends one address's emails within a budget, to strangers too`(path: String) async throws {
        try await SignInServer.start(mail: MailSettings(.log)) { $0.emailsPerHour = 3 }.use { server in
            func ask(_ number: Int, from address: String) async throws -> SignInServer.Answer {
                let body: JSONValue = ["email": .string("user-\(number)@example.org"), "type": "signup"]
                return try await server.auth(.post, path, body, headers: [("X-Forwarded-For", address)])
            }
            for number in 0..<3 { #expect(try await ask(number, from: "203.0.113.7").status == 200, "\(number)") }
            let refused = try await ask(3, from: "203.0.113.7")
            #expect(refused.status == 429)
            #expect(refused.code == "over_email_send_rate_limit")
            #expect(try await ask(3, from: "203.0.113.8").status == 200)
            // All together have ten times as many.
            for number in 4..<30 {
                #expect(try await ask(number, from: "198.51.100.\(number)").status == 200, "\(number)")
            }
            #expect(try await ask(30, from: "198.51.100.99").status == 429)
        }
    }

    @Test func `counts accounts that a code by mail makes`() async throws {
        try await SignInServer.start(mail: MailSettings(.log)).use { server in
            func ask(_ number: Int, from address: String) async throws -> SignInServer.Answer {
                let body: JSONValue = ["email": .string("user-\(number)@example.org")]
                return try await server.auth(.post, "/otp", body, headers: [("X-Forwarded-For", address)])
            }
            for number in 0..<30 { #expect(try await ask(number, from: "203.0.113.7").status == 200, "\(number)") }
            let refused = try await ask(30, from: "203.0.113.7")
            #expect(refused.status == 429)
            #expect(refused.code == "over_request_rate_limit")
            #expect(try await ask(31, from: "203.0.113.8").status == 200)
            #expect(try server.value("SELECT count(*) FROM auth.users") == "31")
        }
    }
}
