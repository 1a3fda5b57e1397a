import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Authenticators of WebAuthn as a second factor.
@Suite(.needsDatabase, .hangLimit)
struct AuthenticatorFactorTests {
    private func enroll(_ client: PasskeyClient, _ name: String = "key") async throws -> String {
        let answer = try await client.server.auth(
            .post,
            "/factors",
            ["factor_type": "webauthn", "friendly_name": .string(name)],
            token: client.token
        )
        #expect(answer.status == 200, "\(answer.json)")
        #expect(answer.json.object?.keys == ["id", "type", "friendly_name"])
        return answer.text("id")
    }

    private func challenge(_ client: PasskeyClient, _ id: String) async throws -> SignInServer.Answer {
        try await client.server.auth(.post, "/factors/\(id)/challenge", ["factorId": .string(id)], token: client.token)
    }

    private func verify(
        _ client: PasskeyClient,
        _ id: String,
        _ challenge: SignInServer.Answer,
        _ credential: JSONValue,
        type: String? = nil
    ) async throws -> SignInServer.Answer {
        var answer: JSONObject = ["credential_response": credential]
        if let type { answer["type"] = .string(type) }
        return try await client.server.auth(
            .post,
            "/factors/\(id)/verify",
            ["challenge_id": .string(challenge.text("id")), "webauthn": .object(answer)],
            token: client.token
        )
    }

    private func options(_ challenge: SignInServer.Answer) -> JSONValue {
        challenge["webauthn"]?["credential_options"]?["publicKey"] ?? .null
    }

    /// Enrols the authenticator and raises the session.
    private func raise(
        _ client: inout PasskeyClient,
        _ authenticator: SoftAuthenticator,
        _ name: String = "key"
    ) async throws -> String {
        let id = try await enroll(client, name)
        let challenge = try await challenge(client, id)
        let answer = try await verify(
            client,
            id,
            challenge,
            try authenticator.create(options(challenge)),
            type: "create"
        )
        #expect(answer.status == 200, "\(answer.json)")
        client.token = answer.text("access_token")
        return id
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `enrols, raises the session, and raises another one`(algorithm: SignatureAlgorithm) async throws {
        try await PasskeyClient.start().use { server in
            var ada = try await PasskeyClient(server)
            var authenticator = try SoftAuthenticator(algorithm)
            let id = try await raise(&ada, authenticator)
            let claims = try server.claims(ada.token)
            #expect(claims["aal"] == "aal2")
            #expect(claims["amr"]?.array?.map { $0["method"]?.string } == ["mfa/webauthn", "password"])
            let user = try await server.auth(.get, "/user", token: ada.token)
            #expect(user["factors"]?[0]?["factor_type"] == "webauthn")
            #expect(user["factors"]?[0]?["status"] == "verified")
            #expect(user["factors"]?[0]?["web_authn_credential"] == nil)

            let other = PasskeyClient(server, try await server.signIn("ada@example.org"))
            let challenge = try await challenge(other, id)
            #expect(challenge["webauthn"]?["type"] == "request")
            #expect(challenge["webauthn"]?["credential_options"]?["rpId"] == "app.example")
            #expect(
                options(challenge)["allowCredentials"]?.array?.map { $0["id"] }
                    == [SoftAuthenticator.encoded(authenticator.id)]
            )
            authenticator.counter = 1
            let credential = try authenticator.get(options(challenge))
            // Other than passkeys, it may leave the account's handle out; and supabase-swift the type.
            let raised = try await verify(other, id, challenge, credential)
            #expect(raised.status == 200, "\(raised.json)")
            #expect(try server.claims(raised.text("access_token"))["aal"] == "aal2")
            #expect(try await verify(other, id, challenge, credential).code == "mfa_ip_address_mismatch")
            #expect(
                try server.value("SELECT web_authn_credential #>> '{authenticator,signCount}' FROM auth.mfa_factors")
                    == "1"
            )
            #expect(try await server.auth(.delete, "/factors/\(id)", token: raised.text("access_token")).status == 200)
        }
    }

    @Test func `takes a challenge once, wrong answers too, in its session, and no copied key`() async throws {
        try await PasskeyClient.start().use { server in
            var ada = try await PasskeyClient(server)
            var authenticator = try SoftAuthenticator()
            authenticator.counter = 3
            let id = try await raise(&ada, authenticator)
            let first = try await challenge(ada, id)
            #expect(
                try await verify(ada, id, first, try authenticator.get(options(first))).code
                    == "mfa_verification_failed",
                "the counter stays"
            )
            authenticator.counter = 4
            let right = try authenticator.get(options(first))
            #expect(try await verify(ada, id, first, right).code == "mfa_ip_address_mismatch")

            let second = try await challenge(ada, id)
            let elsewhere = PasskeyClient(server, try await server.signIn("ada@example.org"))
            let answer = try authenticator.get(options(second))
            #expect(try await verify(elsewhere, id, second, answer).code == "mfa_factor_not_found")
            #expect(try await verify(ada, id, second, answer, type: "create").code == "validation_failed")
            authenticator.origin = "https://evil.example"
            let foreign = try authenticator.get(options(second))
            #expect(try await verify(ada, id, second, foreign).code == "mfa_verification_failed")
            authenticator.origin = "https://app.example"
            let old = try await challenge(ada, id)
            try server.application.execute("UPDATE auth.mfa_challenges SET created_at = now() - interval '301 seconds'")
            let late = try authenticator.get(options(old))
            #expect(try await verify(ada, id, old, late).code == "mfa_challenge_expired")
        }
    }

    @Test func `one that was begun before the account had a factor is no way around it`() async throws {
        try await PasskeyClient.start().use { server in
            let session = try await server.signUp("ada@example.org")
            // Somebody with the password alone plants a factor of another type.
            let planted = try await enroll(PasskeyClient(server, session))
            #expect(try await challenge(PasskeyClient(server, session), planted).status == 200)
            var owner = FactorClient(server, session)
            _ = try await owner.raise()
            let stranger = PasskeyClient(server, try await server.signIn("ada@example.org"))
            #expect(try await challenge(stranger, planted).code == "mfa_factor_not_found")
            // Nor one that was left over, as by an older server.
            try server.application.execute(
                """
                INSERT INTO auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
                VALUES ('\(planted)', '\(owner.userID)', 'left', 'webauthn', 'unverified', now(), now())
                """
            )
            let refused = try await challenge(stranger, planted)
            #expect(refused.status == 403)
            #expect(refused.code == "insufficient_aal")
        }
    }

    @Test func `locks after five wrong answers`() async throws {
        try await PasskeyClient.start().use { server in
            var ada = try await PasskeyClient(server)
            var authenticator = try SoftAuthenticator()
            let id = try await raise(&ada, authenticator)
            authenticator.damage = 1
            for _ in 1...5 {
                let challenge = try await challenge(ada, id)
                let wrong = try authenticator.get(options(challenge))
                #expect(try await verify(ada, id, challenge, wrong).code == "mfa_verification_failed")
            }
            authenticator.damage = 0
            let challenge = try await challenge(ada, id)
            #expect(try await verify(ada, id, challenge, try authenticator.get(options(challenge))).status == 429)
        }
    }

    @Test func `lets a hook refuse the attempt`() async throws {
        let hook = try #require(Hook(functionURI: "pg-functions://postgres/public/refuse"))
        try await SignInServer.start(
            sql: """
                CREATE FUNCTION public.refuse(event jsonb) RETURNS jsonb LANGUAGE sql AS
                $$ SELECT jsonb_build_object('decision', 'reject', 'message', (event ->> 'valid')) $$
                """,
            hooks: [.factorVerificationAttempt: hook]
        ) { PasskeyClient.enable(&$0) }.use { server in
            let ada = try await PasskeyClient(server)
            let id = try await enroll(ada)
            let challenge = try await challenge(ada, id)
            let answer = try await verify(ada, id, challenge, try SoftAuthenticator().create(options(challenge)))
            #expect(answer.code == "mfa_verification_rejected")
            #expect(answer.text("message") == "true")
            #expect(try server.value("SELECT status::text FROM auth.mfa_factors") == "unverified")
        }
    }

    @Test func `is off unless it is turned on, and limited as other factors are`() async throws {
        let closed = try await SignInServer.start()
        let guest = try await PasskeyClient(closed)
        let refused = try await closed.auth(.post, "/factors", ["factor_type": "webauthn"], token: guest.token)
        #expect(refused.code == "mfa_webauthn_enroll_not_enabled")
        await closed.stop()

        try await PasskeyClient.start { $0.factors.maximumEnrolled = 2 }.use { server in
            var ada = try await PasskeyClient(server)
            _ = try await raise(&ada, try SoftAuthenticator())
            let same = try await server.auth(
                .post,
                "/factors",
                ["factor_type": "webauthn", "friendly_name": "key"],
                token: ada.token
            )
            #expect(same.code == "mfa_factor_name_conflict")
            let second = try await enroll(ada, "second")
            let many = try await server.auth(.post, "/factors", ["factor_type": "webauthn"], token: ada.token)
            #expect(many.code == "too_many_enrolled_mfa_factors")
            let low = PasskeyClient(server, try await server.signIn("ada@example.org"))
            let answer = try await server.auth(.post, "/factors", ["factor_type": "webauthn"], token: low.token)
            #expect(answer.status == 422 || answer.code == "insufficient_aal")
            let body: JSONValue = ["challenge_id": .string(second)]
            #expect(try await server.auth(.post, "/factors/\(second)/verify", body, token: ada.token).status == 400)
        }
    }
}
