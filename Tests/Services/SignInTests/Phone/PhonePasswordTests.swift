import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Accounts with a phone number and a password.
@Suite(.needsDatabase, .hangLimit)
struct PhonePasswordTests {
    private static let number = "4915112345678"

    private func signUp(
        _ texting: TextingServer,
        _ password: String = SignInServer.password,
        phone: String = number
    ) async throws -> SignInServer.Answer {
        try await texting.server.auth(.post, "/signup", ["phone": .string(phone), "password": .string(password)])
    }

    private func signIn(
        _ texting: TextingServer,
        _ password: String = SignInServer.password,
        phone: String = number
    ) async throws -> SignInServer.Answer {
        let body: JSONValue = ["phone": .string(phone), "password": .string(password)]
        return try await texting.server.auth(.post, "/token?grant_type=password", body)
    }

    @Test func `opens the account once its number is confirmed`() async throws {
        try await TextingServer.start().use { texting in
            let user = try await signUp(texting, phone: "+\(Self.number)")
            #expect(user.status == 200, "\(user.json)")
            #expect(user["access_token"] == nil)
            #expect(user.text("phone") == Self.number)
            #expect(user["confirmation_sent_at"] != nil)
            #expect(user["phone_confirmed_at"] == nil)
            #expect(user["identities"]?.array?.first?["provider"] == "phone")
            let early = try await signIn(texting)
            #expect(early.status == 400)
            #expect(early.code == "phone_not_confirmed")
            let session = try await texting.verify(Self.number, try await texting.code(to: Self.number))
            #expect(session["user"]?["id"]?.string == user.text("id"))
            let again = try await signIn(texting, phone: "+49 1511 2345678")
            #expect(again.status == 200, "\(again.json)")
            #expect(try texting.server.claims(again.text("access_token"))["amr"]?.array?.first?["method"] == "password")
            let wrong = try await signIn(texting, "wrong")
            let unknown = try await signIn(texting, "wrong", phone: "4915187654321")
            #expect(wrong.status == 400)
            #expect(wrong.code == "invalid_credentials")
            #expect(wrong.json == unknown.json)
            #expect(try await signIn(texting, phone: "nobody's").json == unknown.json)
        }
    }

    @Test func `does not reveal a known number`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.signedIn(Self.number)
            try texting.waitMinute()
            let known = try await signUp(texting)
            let new = try await signUp(texting, phone: "4915187654321")
            #expect(known.status == 200)
            #expect(known["identities"] == [])
            #expect(known.json.object?.map(\.name) == new.json.object?.map(\.name))
            #expect(known["app_metadata"] == new["app_metadata"])
            #expect(try await texting.count(to: Self.number) == 1)
            #expect(try await signUp(texting).code == "over_sms_send_rate_limit")
            #expect(try await signUp(texting, phone: "4915187654321").code == "over_sms_send_rate_limit")
        }
    }

    @Test(arguments: [true, false])
    func `keeps nobody's password when two sign-ups differ`(isWithinTheMinute: Bool) async throws {
        try await TextingServer.start().use { texting in
            #expect(try await signUp(texting, "attacker1").status == 200)
            if !isWithinTheMinute { try texting.waitMinute() }
            #expect(try await signUp(texting, "victim123").status == (isWithinTheMinute ? 429 : 200))
            let session = try await texting.verify(Self.number, try await texting.code(to: Self.number))
            #expect(session.status == 200)
            #expect(try await signIn(texting, "attacker1").code == "invalid_credentials")
            #expect(try await signIn(texting, "victim123").code == "invalid_credentials")
        }
    }

    @Test(arguments: [true, false])
    func `keeps no stranger's password when the owner signs in by a code`(isWithinTheMinute: Bool) async throws {
        try await TextingServer.start().use { texting in
            #expect(try await signUp(texting, "attacker1").status == 200)
            if !isWithinTheMinute { try texting.waitMinute() }
            #expect(try await texting.otp(Self.number).status == (isWithinTheMinute ? 429 : 200))
            #expect(try await texting.verify(Self.number, try await texting.code(to: Self.number)).status == 200)
            #expect(try await signIn(texting, "attacker1").code == "invalid_credentials")
        }
    }

    @Test func `keeps the password of a confirmed account`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await signUp(texting)
            _ = try await texting.verify(Self.number, try await texting.code(to: Self.number))
            try texting.waitMinute()
            _ = try await texting.signedIn(Self.number)
            try texting.waitMinute()
            _ = try await signUp(texting, "attacker1")
            #expect(try await signIn(texting).status == 200)
            #expect(try await signIn(texting, "attacker1").code == "invalid_credentials")
        }
    }

    @Test func `locks a number after five wrong passwords, known or not`() async throws {
        try await TextingServer.start().use { (texting) async throws in
            for phone in [Self.number, "4915187654321"] {
                for _ in 1...5 { #expect(try await signIn(texting, "wrong", phone: phone).status == 400) }
                #expect(try await signIn(texting, "wrong", phone: phone).status == 429)
            }
        }
    }

    @Test func `sends the text of a sign-up again by the channel that is asked for`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await signUp(texting)
            try texting.waitMinute()
            let body: JSONValue = ["type": "sms", "phone": .string(Self.number), "channel": "whatsapp"]
            #expect(try await texting.server.auth(.post, "/resend", body).status == 200)
            #expect(try await texting.count(to: Self.number) == 2)
            let channels = try texting.server.value(
                "SELECT string_agg(coalesce(event #>> '{sms,channel}', 'sms'), ',' ORDER BY 1) FROM texts"
            )
            #expect(channels == "sms,whatsapp")
        }
    }

    @Test func `sends the text of a sign-up again`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await signUp(texting)
            let body: JSONValue = ["type": "sms", "phone": .string(Self.number)]
            #expect(try await texting.server.auth(.post, "/resend", body).code == "over_sms_send_rate_limit")
            try texting.waitMinute()
            let resent = try await texting.server.auth(.post, "/resend", body)
            #expect(resent.status == 200)
            #expect(resent.json == [:])
            #expect(try await texting.count(to: Self.number) == 2)
            #expect(try await texting.verify(Self.number, try await texting.code(to: Self.number)).status == 200)
            #expect(try await signIn(texting).status == 200)
            // Not to who has confirmed it, nor to strangers, who see no difference.
            try texting.waitMinute()
            let known = try await texting.server.auth(.post, "/resend", body)
            let unknown = try await texting.server.auth(.post, "/resend", ["type": "sms", "phone": "4915187654321"])
            #expect(known.status == 200)
            #expect(known.json == unknown.json)
            #expect(try await texting.count(to: Self.number) == 2)
            #expect(try await texting.count(to: "4915187654321") == 0)
            let odd: JSONValue = ["type": "sms", "phone": .string(Self.number), "channel": "pigeon"]
            #expect(try await texting.server.auth(.post, "/resend", odd).status == 400)
            let none = try await texting.server.auth(.post, "/resend", ["type": "sms"])
            #expect(none.text("message") == "Type provided requires a phone number")
        }
    }

    @Test(arguments: [
        (#"{"phone":"4915112345678"}"#, 400, "validation_failed"),
        (#"{"phone":"4915112345678","password":"x"}"#, 422, "weak_password"),
        (#"{"phone":"0151","password":"correct horse"}"#, 400, "validation_failed"),
        (#"{"phone":"4915112345678","password":"correct horse","email":"a@b.example"}"#, 400, "validation_failed"),
        (#"{"phone":"4915112345678","password":"correct horse","channel":"pigeon"}"#, 400, "validation_failed"),
    ])
    func `refuses incomplete sign-ups`(body: String, status: Int, code: String) async throws {
        try await TextingServer.start().use { texting in
            let answer = try await texting.server.auth(.post, "/signup", try JSONParser.parse(Array(body.utf8)))
            #expect(answer.status == status, "\(answer.json)")
            #expect(answer.code == code)
            #expect(try texting.server.value("SELECT count(*) FROM auth.users") == "0")
        }
    }

    @Test func `asks the hook about new accounts`() async throws {
        let sql =
            TextingServer.sql + """
                CREATE FUNCTION public.only_germany(event jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
                    SELECT CASE WHEN event -> 'user' ->> 'phone' LIKE '49%' THEN '{}'::jsonb
                    ELSE '{"error":{"http_code":403,"message":"Not to there"}}' END
                $$;
                """
        let hook = try #require(Hook(functionURI: "pg-functions://postgres/public/only_germany"))
        try await TextingServer.start(sql: sql, hooks: [.beforeUserCreated: hook]).use { (texting) async throws in
            #expect(try await texting.otp(Self.number).status == 200)
            #expect(try await texting.otp("33612345678").status == 403)
            #expect(try await signUp(texting, phone: "33612345679").status == 403)
            #expect(try texting.server.value("SELECT count(*) FROM auth.users") == "1")
        }
    }
}
