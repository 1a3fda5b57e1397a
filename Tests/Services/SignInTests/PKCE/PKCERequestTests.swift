import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// What requests with a challenge store, and when one is looked at.
@Suite(.needsDatabase, .hangLimit)
struct PKCERequestTests {
    private static let half: JSONObject = [
        "email": "ada@example.org", "password": .string(SignInServer.password), "type": "signup",
        "code_challenge": "short", "code_challenge_method": nil,
    ]

    @Test(arguments: ["/signup", "/otp", "/magiclink", "/recover", "/resend"])
    func `refuse half a challenge, whether or not the address is known`(path: String) async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        for isKnown in [false, true] {
            if isKnown { _ = try await server.addAda() }
            let answer = try await server.auth(.post, path, .object(Self.half))
            #expect(answer.status == 400, "\(answer.json)")
            #expect(answer.code == "validation_failed", "\(answer.json)")
            #expect(answer.text("message") == "PKCE flow requires code_challenge_method and code_challenge")
        }
        #expect(mailing.count == 0)
        // Nor does it count for the limit.
        var whole = Self.half
        whole["code_challenge"] = nil
        #expect(try await server.auth(.post, path, .object(whole)).status == 200)
        await server.stop()
    }

    @Test func `ignore it where no mail is sent`() async throws {
        try await SignInServer.start { $0.allowsAnonymousUsers = true }.use { server in
            let session = try await server.auth(.post, "/signup", .object(Self.half))
            #expect(session.status == 200, "\(session.json)")
            #expect(session["access_token"] != nil, "\(session.json)")
            let anonymous = try await server.auth(.post, "/signup", ["code_challenge": "short"])
            #expect(anonymous.status == 200, "\(anonymous.json)")
            #expect(anonymous["access_token"] != nil, "\(anonymous.json)")
            let moved = try await server.auth(
                .put,
                "/user",
                ["email": "new@example.org", "code_challenge": "short"],
                token: session.text("access_token")
            )
            #expect(moved.status == 200, "\(moved.json)")
            #expect(moved["email"] == "new@example.org", "\(moved.json)")
            #expect(try server.value("SELECT count(*) FROM auth.flow_state") == "0")
        }
    }

    @Test func `look at it for a change of address, and of nothing else`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        let token = try await server.signIn("ada@example.org").text("access_token")
        func change(_ body: JSONValue) async throws -> SignInServer.Answer {
            try await server.auth(.put, "/user", body, token: token)
        }
        #expect(try await change(["password": "another horse", "code_challenge": "short"]).status == 200)
        #expect(try await change(["email": "ada@example.org", "code_challenge": "short"]).status == 200)
        let refused = try await change(["email": "new@example.org", "data": ["x": 1], "code_challenge": "short"])
        #expect(refused.status == 400, "\(refused.json)")
        #expect(refused.code == "validation_failed", "\(refused.json)")
        #expect(try server.value("SELECT email_change || (raw_user_meta_data ? 'x') FROM auth.users") == "false")
        await server.stop()
    }

    @Test func `store nothing for a mail that is not sent`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        let key = try PKCE()
        #expect(try await server.auth(.post, "/otp", key.asking(["email": "ada@example.org"])).status == 200)
        let id = try server.value("SELECT id FROM auth.flow_state")
        // By this server's limit, and by the database's, which other servers share.
        #expect(try await server.auth(.post, "/otp", PKCE().asking(["email": "ada@example.org"])).status == 429)
        let other = try await mailing.startOtherForApp()
        for email: JSONValue in ["ada@example.org", "nobody@example.org"] {
            let answer = try await other.server.auth(.post, "/recover", PKCE().asking(["email": email]))
            #expect(answer.status == 200)
        }
        await other.server.stop()
        #expect(try server.value("SELECT string_agg(id::text, ' ') FROM auth.flow_state") == id)
        await server.stop()
    }

    /// A client has only the verifier of its last request. Whoever does not know the password may be somebody else.
    @Test(arguments: [true, false])
    func `bind the link that was sent to the last request, if its password is the same`(isSame: Bool) async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        let (first, second) = (try PKCE(), try PKCE())
        for (key, password) in [(first, "correct horse"), (second, isSame ? "correct horse" : "another horse")] {
            let body: JSONObject = ["email": "ada@example.org", "password": .string(password)]
            #expect(try await server.auth(.post, "/signup", key.asking(body)).status == 200)
        }
        let (hash, _) = try await mailing.message()
        let code = try await server.code(hash, "signup")
        let (bound, other) = isSame ? (second, first) : (first, second)
        #expect(try await other.exchange(code, at: server).code == "bad_code_verifier")
        #expect(try await bound.exchange(code, at: server).status == 200)
        await server.stop()
    }

    @Test func `delete what is older than a day, a hundred at once`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        try server.application.execute(
            """
            INSERT INTO auth.flow_state (
                id, auth_code, code_challenge_method, code_challenge, provider_type, authentication_method, created_at
            ) SELECT gen_random_uuid(), 'x', 's256', 'x', 'google', 'oauth',
                now() - CASE WHEN n > 150 THEN interval '23 hours' ELSE interval '25 hours' END
            FROM generate_series(1, 153) AS n
            """
        )
        for (email, count) in [("ada@example.org", "54"), ("bob@example.org", "5")] {
            _ = try await server.auth(.post, "/otp", PKCE().asking(["email": .string(email)]))
            #expect(try server.value("SELECT count(*) FROM auth.flow_state") == count)
        }
        await server.stop()
    }
}
