import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Phones as second factors.
@Suite(.needsDatabase, .hangLimit)
struct PhoneFactorTests {
    private static let number = "4915112345678"

    private func start(_ change: (inout SignInSettings) -> Void = { _ in }) async throws -> TextingServer {
        try await TextingServer.start { settings in
            settings.factors.canEnrollPhone = true
            settings.factors.canVerifyPhone = true
            change(&settings)
        }
    }

    private func enroll(_ client: FactorClient, _ phone: String = "+\(number)") async throws -> SignInServer.Answer {
        try await client.server.auth(
            .post,
            "/factors",
            ["factor_type": "phone", "friendly_name": "mine", "phone": .string(phone)],
            token: client.token
        )
    }

    private func challenge(
        _ client: FactorClient,
        _ id: String,
        _ channel: JSONValue = .null
    ) async throws -> SignInServer.Answer {
        try await client.server.auth(.post, "/factors/\(id)/challenge", ["channel": channel], token: client.token)
    }

    @Test(arguments: ["sms", "whatsapp"])
    func `raises the session by the code of a text, which works once`(channel: String) async throws {
        try await start().use { texting in
            var client = try await FactorClient(texting.server)
            let factor = try await enroll(client)
            #expect(factor.status == 200, "\(factor.json)")
            #expect(factor["type"] == "phone")
            #expect(factor["friendly_name"] == "mine")
            #expect(factor["phone"]?.string == "+\(Self.number)")
            let id = factor.text("id")
            let asked = try await challenge(client, id, .string(channel))
            #expect(asked.status == 200, "\(asked.json)")
            #expect(asked["type"] == "phone")
            #expect(asked["expires_at"]?.int != nil)
            let code = try await texting.code(to: Self.number)
            let event = try JSONParser.parse(Array((texting.server.value("SELECT event FROM texts") ?? "").utf8))
            #expect(event["sms"]?["sms_type"] == "mfa")
            #expect(event["sms"]?["channel"]?.string == (channel == "sms" ? nil : channel))
            #expect(try texting.server.value("SELECT otp_code FROM auth.mfa_challenges") == nil)

            let wrong = try await client.verify(id, asked.text("id"), TextingServer.wrong(code))
            #expect(wrong.status == 422)
            #expect(wrong["message"] == "Invalid MFA Phone code entered", "\(wrong.json)")
            let raised = try await client.verify(id, asked.text("id"), code)
            #expect(raised.status == 200, "\(raised.json)")
            let claims = try texting.server.claims(raised.text("access_token"))
            #expect(claims["aal"] == "aal2")
            #expect(claims["amr"]?.array?.contains { $0["method"] == "mfa/phone" } == true)
            let shown = raised["user"]?["factors"]?[0]
            #expect(shown?["factor_type"] == "phone")
            #expect(shown?["status"] == "verified")
            #expect(shown?["phone"]?.string == Self.number)
            client.token = raised.text("access_token")
            let again = try await client.verify(id, asked.text("id"), code)
            #expect(again.code == "mfa_ip_address_mismatch", "\(again.json)")
            // Another account's challenge is none.
            let other = try await FactorClient(texting.server, "bob@example.org")
            #expect(try await other.verify(id, asked.text("id"), code).status == 404)
        }
    }

    @Test func `sends a number one text a minute, whoever asks`() async throws {
        try await start().use { texting in
            let ada = try await FactorClient(texting.server)
            let bob = try await FactorClient(texting.server, "bob@example.org")
            let (one, two) = (try await enroll(ada).text("id"), try await enroll(bob).text("id"))
            #expect(try await challenge(ada, one).status == 200)
            for (client, id) in [(ada, one), (bob, two)] {
                let refused = try await challenge(client, id)
                #expect(refused.status == 429, "\(refused.json)")
                #expect(refused.code == "over_sms_send_rate_limit")
            }
            #expect(try await texting.count(to: Self.number) == 1)
            try texting.waitMinute()
            #expect(try await challenge(bob, two).status == 200)
            #expect(try await texting.count(to: Self.number) == 2)
        }
    }

    @Test func `locks the factors after five wrong codes, and refuses late ones`() async throws {
        try await start().use { texting in
            let client = try await FactorClient(texting.server)
            let id = try await enroll(client).text("id")
            let asked = try await challenge(client, id).text("id")
            let code = try await texting.code(to: Self.number)
            try texting.server.application.execute(
                "UPDATE auth.mfa_challenges SET created_at = now() - interval '6 minutes'"
            )
            #expect(try await client.verify(id, asked, code).code == "mfa_challenge_expired")
            try texting.server.application.execute("UPDATE auth.mfa_challenges SET created_at = now()")
            for _ in 0..<5 { _ = try await client.verify(id, asked, TextingServer.wrong(code)) }
            #expect(try await client.verify(id, asked, code).status == 429)
        }
    }

    @Test func `takes a code once from fifty at a time`() async throws {
        try await start().use { texting in
            let client = try await FactorClient(texting.server)
            let id = try await enroll(client).text("id")
            let asked = try await challenge(client, id).text("id")
            let code = try await texting.code(to: Self.number)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...50 { group.addTask { try await client.verify(id, asked, code).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
        }
    }

    @Test func `has one factor for a number, forgets those that were begun, and is off unless it is on`() async throws {
        try await start().use { texting in
            var client = try await FactorClient(texting.server)
            let first = try await enroll(client).text("id")
            let second = try await enroll(client).text("id")
            #expect(first != second)
            #expect(try texting.server.value("SELECT count(*) FROM auth.mfa_factors") == "1")
            let asked = try await challenge(client, second).text("id")
            let raised = try await client.verify(second, asked, try await texting.code(to: Self.number))
            client.token = raised.text("access_token")
            #expect(try await enroll(client).code == "mfa_verified_factor_exists")
            for phone in ["", "12ab", "+0123", "+12345678901234567"] {
                #expect(try await enroll(client, phone).code == "validation_failed", "\(phone)")
            }
            #expect(try await challenge(client, second, "pigeon").code == "validation_failed")
        }
        try await TextingServer.start().use { texting in
            let client = try await FactorClient(texting.server)
            #expect(try await enroll(client).code == "mfa_phone_enroll_not_enabled")
        }
    }

    @Test func `has another number if an administrator says so`() async throws {
        try await start().use { texting in
            let client = try await FactorClient(texting.server)
            let id = try await enroll(client).text("id")
            let path = "/\(client.userID)/factors/\(id)"
            let changed = try await texting.server.admin(.put, path, ["phone": "+1976154321"])
            #expect(changed.status == 200, "\(changed.json)")
            #expect(changed["phone"] == "1976154321")
            #expect(changed["friendly_name"] == "mine")
            let asked = try await challenge(client, id).text("id")
            let code = try await texting.code(to: "1976154321")
            #expect(try await client.verify(id, asked, code).status == 200)
            #expect(try await texting.server.admin(.put, path, ["phone": "12ab"]).code == "validation_failed")
            let entry = """
                SELECT payload -> 'traits' ->> 'factor_type' FROM auth.audit_log_entries
                WHERE payload ->> 'action' = 'factor_updated'
                """
            #expect(try texting.server.value(entry) == "phone")
        }
        try await SignInServer.start().use { server in
            let client = try await FactorClient(server)
            let (id, _) = try await client.enroll()
            let refused = try await server.admin(.put, "/\(client.userID)/factors/\(id)", ["phone": "+1976154321"])
            #expect(refused.code == "phone_provider_disabled")
        }
    }

    @Test func `tells the hook which channel a sign-in wants`() async throws {
        try await start().use { texting in
            #expect(try await texting.otp(Self.number, ["channel": "whatsapp"]).status == 200)
            _ = try await texting.code(to: Self.number)
            #expect(try texting.server.value("SELECT event #>> '{sms,channel}' FROM texts") == "whatsapp")
            #expect(try await texting.otp(Self.number, ["channel": "pigeon"]).status == 400)
        }
    }
}
