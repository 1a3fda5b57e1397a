import Foundation
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Signing in with a code that comes by text.
@Suite(.needsDatabase, .hangLimit)
struct PhoneOTPTests {
    private static let number = "4915112345678"

    @Test func `makes an account and signs in with the code`() async throws {
        try await TextingServer.start().use { texting in
            let asked = try await texting.otp("+49 151 12345678", ["data": ["name": "Ada"]])
            #expect(asked.status == 200, "\(asked.json)")
            #expect(asked.json == [:])
            let code = try await texting.code(to: Self.number)
            #expect(code.wholeMatch(of: #/\d{6}/#) != nil)
            let session = try await texting.verify("+\(Self.number)", code)
            #expect(session.status == 200, "\(session.json)")
            let user = try #require(session["user"])
            #expect(user["phone"]?.string == Self.number)
            #expect(user["phone_confirmed_at"]?.string?.isEmpty == false)
            #expect(user["email"] == "")
            #expect(user["app_metadata"] == ["provider": "phone", "providers": ["phone"]])
            #expect(user["user_metadata"]?["name"] == "Ada")
            #expect(user["user_metadata"]?["phone_verified"] == true)
            let identity = try #require(user["identities"]?.array?.first)
            #expect(identity["provider"] == "phone")
            #expect(identity["id"] == user["id"])
            #expect(identity["identity_data"]?["phone"]?.string == Self.number)
            #expect(identity["identity_data"]?["phone_verified"] == true)
            let claims = try texting.server.claims(session.text("access_token"))
            #expect(claims["phone"]?.string == Self.number)
            #expect(claims["amr"]?.array?.first?["method"] == "otp")
            // The next time it is the same account.
            try texting.waitMinute()
            let again = try await texting.signedIn(Self.number)
            #expect(again["user"]?["id"] == user["id"])
        }
    }

    @Test func `gives the hook the user and the code, which nothing else has`() async throws {
        let log = LogRecord()
        try await TextingServer.start(logger: log).use { texting in
            _ = try await texting.otp(Self.number)
            let code = try await texting.code(to: Self.number)
            let event = try JSONParser.parse(Array((texting.server.value("SELECT event FROM texts") ?? "").utf8))
            #expect(event["metadata"]?["name"] == "send-sms")
            #expect(event["user"]?["phone"]?.string == Self.number)
            #expect(event["user"]?["aud"] == "authenticated")
            #expect(event["sms"]?["phone"]?.string == Self.number)
            #expect(!log.text.contains(code))
            #expect(try texting.server.value("SELECT 1 FROM auth.users AS u WHERE u::text LIKE '%\(code)%'") == nil)
        }
    }

    @Test func `takes a code once`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.otp(Self.number)
            let code = try await texting.code(to: Self.number)
            #expect(try await texting.verify(Self.number, code).status == 200)
            let again = try await texting.verify(Self.number, code)
            #expect(again.status == 403)
            #expect(again.code == "otp_expired")
            #expect(again.text("message") == "Token has expired or is invalid")
        }
    }

    @Test func `takes a code of fifty at once only once`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.otp(Self.number)
            let code = try await texting.code(to: Self.number)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await texting.verify(Self.number, code).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
            #expect(try texting.server.value("SELECT count(*) FROM auth.sessions") == "1")
        }
    }

    @Test func `sends one text to fifty requests at once, and makes one account`() async throws {
        try await TextingServer.start().use { texting in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await texting.otp(Self.number).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
            #expect(statuses.count { $0 == 429 } == 49, "\(statuses)")
            #expect(try await texting.count(to: Self.number) == 1)
            #expect(try texting.server.value("SELECT count(*) FROM auth.users") == "1")
        }
    }

    @Test func `refuses a code after its time, which is a minute`() async throws {
        #expect(SignInSettings().textCodeSeconds == 60)
        try await TextingServer.start().use { texting in
            _ = try await texting.otp(Self.number)
            let code = try await texting.code(to: Self.number)
            try texting.server.application.execute(
                "UPDATE auth.users SET confirmation_sent_at = confirmation_sent_at - interval '61 seconds'"
            )
            #expect(try await texting.verify(Self.number, code).code == "otp_expired")
        }
    }

    @Test func `replaces the last code by the next one`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.otp(Self.number)
            let first = try await texting.code(to: Self.number)
            try texting.waitMinute()
            _ = try await texting.otp(Self.number)
            let second = try await texting.code(to: Self.number)
            #expect(try await texting.verify(Self.number, first).status == (first == second ? 200 : 403))
            #expect(try await texting.verify(Self.number, second).status == (first == second ? 403 : 200))
        }
    }

    @Test func `takes nobody else's code`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.otp(Self.number)
            _ = try await texting.otp("4915187654321")
            let other = try await texting.code(to: "4915187654321")
            let own = try await texting.code(to: Self.number)
            #expect(try await texting.verify(Self.number, other).status == (own == other ? 200 : 403))
            // Nor for another purpose.
            #expect(try await texting.verify("4915187654321", other, type: "phone_change").code == "otp_expired")
            #expect(try await texting.verify("4915187654321", other).status == 200)
        }
    }

    @Test func `allows five guesses`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.otp(Self.number)
            let code = try await texting.code(to: Self.number)
            let wrong = TextingServer.wrong(code)
            for index in 1...5 {
                let headers: [(Headers.Name, String)] = [("X-Forwarded-For", "203.0.113.\(index)")]
                #expect(
                    try await texting.verify(Self.number, wrong, headers: headers).code == "otp_expired",
                    "\(index)"
                )
            }
            #expect(try await texting.verify(Self.number, code).status == 429)
            try texting.server.application.execute("DELETE FROM swiftlet.login_attempts")
            #expect(try await texting.verify(Self.number, code).code == "otp_expired")
        }
    }

    @Test func `compares five of fifty guesses at once`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.otp(Self.number)
            let code = try await texting.code(to: Self.number)
            let wrong = TextingServer.wrong(code)
            await withTaskGroup { group in
                for index in 0..<50 {
                    let headers: [(Headers.Name, String)] = [("X-Forwarded-For", "203.0.113.\(index)")]
                    group.addTask { _ = try? await texting.verify(Self.number, wrong, headers: headers) }
                }
            }
            #expect(try texting.server.value("SELECT length(confirmation_token) FROM auth.users") == "69")
            try texting.server.application.execute("DELETE FROM swiftlet.login_attempts")
            #expect(try await texting.verify(Self.number, code).code == "otp_expired")
        }
    }

    @Test func `who guesses where there is nothing to guess locks nobody out`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.otp(Self.number)
            let first = try await texting.code(to: Self.number)
            #expect(try await texting.verify(Self.number, first).status == 200)
            for _ in 1...20 {
                let away: [(Headers.Name, String)] = [("X-Forwarded-For", "203.0.113.9")]
                #expect(try await texting.verify(Self.number, "000000", headers: away).status == 403)
            }
            try texting.waitMinute()
            _ = try await texting.otp(Self.number)
            let code = try await texting.code(to: Self.number)
            let other: [(Headers.Name, String)] = [("X-Forwarded-For", "203.0.113.8")]
            #expect(try await texting.verify(Self.number, code, headers: other).status == 200)
        }
    }

    @Test func `tells nobody which numbers are known`() async throws {
        try await TextingServer.start { $0.textsPerHour = 100 }.use { texting in
            _ = try await texting.signedIn(Self.number)
            try texting.waitMinute()
            let known = try await texting.otp(Self.number, ["create_user": false])
            let unknown = try await texting.otp("4915187654321", ["create_user": false])
            #expect(known.status == 200)
            #expect(unknown.status == 200)
            #expect(known.json == unknown.json)
            #expect(try await texting.count(to: "4915187654321") == 0)
            #expect(try texting.server.value("SELECT count(*) FROM auth.users") == "1")
            // The limit is the same, and so is what wrong codes get.
            #expect(try await texting.otp("4915187654321", ["create_user": false]).code == "over_sms_send_rate_limit")
            #expect(try await texting.otp(Self.number, ["create_user": false]).code == "over_sms_send_rate_limit")
            let code = try await texting.code(to: Self.number)
            let refused = try await texting.verify(Self.number, TextingServer.wrong(code))
            let stranger = try await texting.verify("4915187654321", code)
            #expect(refused.status == stranger.status)
            #expect(refused.json == stranger.json)
        }
    }

    @Test func `makes no account where sign-ups are off`() async throws {
        try await TextingServer.start { $0.isSignUpDisabled = true }.use { (texting) async throws in
            #expect(try await texting.otp(Self.number).status == 200)
            #expect(try texting.server.value("SELECT count(*) FROM auth.users") == "0")
            #expect(try await texting.count(to: Self.number) == 0)
        }
    }

    @Test(arguments: [
        (#"{"phone":"0151"}"#, "Invalid phone number format (E.164 required)"),
        (#"{"phone":"+49151x"}"#, "Invalid phone number format (E.164 required)"),
        (#"{"phone":"1234567890123456"}"#, "Invalid phone number format (E.164 required)"),
        (#"{"phone":"4915112345678","email":"a@example.org"}"#, "Only an email address or phone number"),
        (#"{"phone":"4915112345678","channel":"pigeon"}"#, "Invalid channel"),
    ])
    func `refuses what is no number or no channel`(body: String, message: String) async throws {
        try await TextingServer.start().use { texting in
            let answer = try await texting.server.auth(.post, "/otp", try JSONParser.parse(Array(body.utf8)))
            #expect(answer.status == 400)
            #expect(answer.code == "validation_failed")
            #expect(answer.text("message").hasPrefix(message), "\(answer.json)")
        }
    }

    @Test(arguments: [
        (#"{"type":"sms","phone":"4915112345678"}"#, "Verify requires either a token or a token hash"),
        (#"{"type":"sms","token_hash":"x"}"#, "Unsupported verification type"),
        (#"{"type":"signup","phone":"4915112345678","token":"123456"}"#, "Invalid sms verification type"),
        (
            #"{"type":"sms","phone":"4915112345678","token_hash":"x"}"#,
            "Only the token_hash and type should be provided"
        ),
        (#"{"type":"sms","phone":"x","token":"123456"}"#, "Invalid phone number format (E.164 required)"),
    ])
    func `refuses to verify nonsense`(body: String, message: String) async throws {
        try await TextingServer.start().use { texting in
            let answer = try await texting.server.auth(.post, "/verify", try JSONParser.parse(Array(body.utf8)))
            #expect(answer.status == 400)
            #expect(answer.text("message") == message, "\(answer.json)")
        }
    }

    @Test(arguments: GoTrueDatabase.Age.allCases)
    func `signs in where GoTrue has made the tables`(age: GoTrueDatabase.Age) async throws {
        let database = try GoTrueDatabase.create(age)
        try database.migrate()
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        let grants = "GRANT ALL ON public.texts, public.texts_place_seq TO swiftlet_test_server;"
        try administrator.execute(TextingServer.sql + grants)
        try await TextingServer.start(databaseURL: database.url, sql: "").use { texting in
            let session = try await texting.signedIn(Self.number)
            #expect(session.status == 200, "\(session.json)")
            #expect(session["user"]?["identities"]?.array?.first?["provider"] == "phone")
            let token = session.text("access_token")
            let changed = try await texting.server.auth(.put, "/user", ["phone": "4915187654321"], token: token)
            #expect(changed.status == 200, "\(changed.json)")
            let code = try await texting.code(to: "4915187654321")
            let again = try await texting.verify("4915187654321", code, type: "phone_change")
            #expect(again["user"]?["phone"] == "4915187654321", "\(again.json)")
        }
    }

    @Test func `sends no text to a number with a fixed code, which counts like any other`() async throws {
        let codes = try #require(FixedCodes("\(Self.number):123456"))
        try await TextingServer.start { $0.fixedCodes = codes }.use { texting in
            #expect(try await texting.verify(Self.number, "123456").code == "otp_expired")
            #expect(try await texting.otp(Self.number).json == [:])
            #expect(try await texting.count(to: Self.number) == 0)
            #expect(try await texting.verify(Self.number, "654321").code == "otp_expired")
            #expect(try await texting.verify(Self.number, "123456").status == 200)
            #expect(try await texting.verify(Self.number, "123456").code == "otp_expired")
            // Other numbers have codes of their own.
            _ = try await texting.otp("4915187654321")
            let code = try await texting.code(to: "4915187654321")
            #expect(try await texting.verify("4915187654321", code).status == 200)
        }
    }

    @Test func `is off without a hook`() async throws {
        let server = try await SignInServer.start()
        #expect(try await server.auth(.get, "/settings")["external"]?["phone"] == false)
        let answer = try await server.auth(.post, "/otp", ["phone": "4915112345678"])
        #expect(answer.status == 400)
        #expect(answer.code == "phone_provider_disabled")
        // A code of before may still be shown.
        let code: JSONValue = ["type": "sms", "phone": "4915112345678", "token": "123456"]
        #expect(try await server.auth(.post, "/verify", code).code == "otp_expired")
        await server.stop()
        try await TextingServer.start().use { (texting) async throws in
            #expect(try await texting.server.auth(.get, "/settings")["external"]?["phone"] == true)
        }
    }
}
