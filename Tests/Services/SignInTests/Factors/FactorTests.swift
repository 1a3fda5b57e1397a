import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Second factors: an authenticator app, from enrolment to removal.
@Suite(.needsDatabase, .hangLimit)
struct FactorTests {
    @Test func `enrols an app and raises the session, which stays raised`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await FactorClient(server)
            let enrolled = try await server.auth(.post, "/factors", ["factor_type": "totp"], token: ada.token)
            #expect(enrolled.json.object?.map(\.name) == ["id", "type", "friendly_name", "totp"])
            #expect(enrolled.text("friendly_name") == "")
            let secret = enrolled["totp"]?["secret"]?.string ?? ""
            #expect(
                enrolled["totp"]?["uri"]?.string
                    == "otpauth://totp/app.example:ada%40example.org?algorithm=SHA1&digits=6&issuer=app.example&period=30&secret=\(secret)"
            )
            #expect(enrolled["totp"]?["qr_code"]?.string?.hasPrefix("<svg ") == true)
            let (id, totp) = try await ada.enroll()
            let user = try await server.auth(.get, "/user", token: ada.token)
            #expect(user["factors"]?.array?.map { $0["status"]?.string } == ["unverified", "unverified"])
            #expect(user["factors"]?[0]?["secret"] == nil)

            let challenge = try await server.auth(.post, "/factors/\(id)/challenge", token: ada.token)
            #expect(challenge.text("type") == "totp")
            #expect(challenge["expires_at"]?.int != nil)
            let other = try await server.signIn("ada@example.org")
            let raised = try await ada.verify(id, challenge.text("id"), try ada.code(totp))
            #expect(raised.status == 200, "\(raised.json)")
            #expect(raised["user"]?["factors"]?.array?.map { $0["status"]?.string } == ["verified"])
            let before = try server.claims(ada.token)
            for token in [
                raised.text("access_token"),
                try await server.refresh(raised.text("refresh_token")).text("access_token"),
            ] {
                let claims = try server.claims(token)
                #expect(claims["aal"] == "aal2")
                #expect(claims["amr"]?.array?.map { $0["method"]?.string } == ["totp", "password"])
                #expect(claims["session_id"]?.string == before["session_id"]?.string)
            }
            #expect(try await server.refresh(other.text("refresh_token")).code == "refresh_token_not_found")
            // A new sign-in starts below.
            let again = try await server.signIn("ada@example.org")
            #expect(try server.claims(again.text("access_token"))["aal"] == "aal1")
        }
    }

    @Test func `hands the same token out again where the answer was lost`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await FactorClient(server)
            let (id, totp) = try await ada.enroll()
            let raised = try await ada.verify(id, try await ada.challenge(id), try ada.code(totp))
            let repeated = try await server.refresh(ada.refreshToken)
            #expect(repeated.text("refresh_token") == raised.text("refresh_token"))
            #expect(try server.claims(repeated.text("access_token"))["aal"] == "aal2")
        }
    }

    @Test func `takes a code once, of the neighboring steps, and a challenge once`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await FactorClient(server)
            let (id, totp) = try await ada.enroll()
            let first = try await ada.challenge(id)
            let code = try ada.code(totp)
            #expect(try await ada.verify(id, first, code).status == 200)
            var bob = FactorClient(server, try await server.signIn("ada@example.org"))
            #expect(try await bob.verify(id, first, try bob.code(totp, 1)).code == "mfa_ip_address_mismatch")
            let second = try await bob.challenge(id)
            #expect(try await bob.verify(id, second, code).code == "mfa_verification_failed")
            #expect(try await bob.verify(id, second, try bob.code(totp, -1)).code == "mfa_verification_failed")
            #expect(try await bob.verify(id, second, try bob.code(totp, 4)).code == "mfa_verification_failed")
            let raised = try await bob.verify(id, second, try bob.code(totp, 1))
            #expect(raised.status == 200, "the challenge stays after a wrong code")
            bob.token = raised.text("access_token")
        }
    }

    @Test func `takes a code once from fifty at a time`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await FactorClient(server)
            let (id, totp) = try await ada.enroll()
            let code = try ada.code(totp)
            let challenge = try await ada.challenge(id)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...50 { group.addTask { try await ada.verify(id, challenge, code).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
        }
    }

    @Test func `locks after five wrong codes, for the right one too`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await FactorClient(server)
            let (id, totp) = try await ada.enroll()
            let challenge = try await ada.challenge(id)
            let wrong = try ada.wrongCode(totp)
            for _ in 1...5 { #expect(try await ada.verify(id, challenge, wrong).code == "mfa_verification_failed") }
            let locked = try await ada.verify(id, challenge, try ada.code(totp))
            #expect(locked.status == 429)
            #expect(locked.code == "over_request_rate_limit")
            // A new challenge is no new chance, and the password is another matter.
            #expect(try await ada.verify(id, try await ada.challenge(id), try ada.code(totp)).status == 429)
            #expect(try await server.signIn("ada@example.org").status == 200)
        }
    }

    @Test func `refuses challenges that are old, unknown, of another factor or account`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await FactorClient(server)
            let (id, totp) = try await ada.enroll()
            let (otherID, _) = try await ada.enroll("tablet")
            let code = try ada.code(totp)
            #expect(try await ada.verify(id, try await ada.challenge(otherID), code).code == "mfa_factor_not_found")
            #expect(try await ada.verify(id, otherID, code).status == 422)
            let old = try await ada.challenge(id)
            try server.application.execute("UPDATE auth.mfa_challenges SET created_at = now() - interval '301 seconds'")
            #expect(try await ada.verify(id, old, code).code == "mfa_challenge_expired")
            let eve = try await FactorClient(server, "eve@example.org")
            for (path, status, text) in [
                ("/factors/\(id)/challenge", 404, "mfa_factor_not_found"),
                ("/factors/none/challenge", 404, "validation_failed"),
                ("/factors/\(id)/verify", 404, "mfa_factor_not_found"),
            ] {
                let answer = try await server.auth(.post, path, [:], token: eve.token)
                #expect(answer.status == status)
                #expect(answer.code == text)
            }
            #expect(try await server.auth(.delete, "/factors/\(id)", token: eve.token).status == 404)
            #expect(try await server.auth(.post, "/factors/\(id)/challenge").code == "no_authorization")
        }
    }

    @Test func `protects what opens the account`() async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            let (id, _) = try await ada.raise()
            let thief = FactorClient(server, try await server.signIn("ada@example.org"))
            for change: JSONValue in [["password": "another horse"], ["email": "eve@example.org"]] {
                let answer = try await server.auth(.put, "/user", change, token: thief.token)
                #expect(answer.status == 401)
                #expect(answer.code == "insufficient_aal")
            }
            #expect(try await server.auth(.put, "/user", ["data": ["a": 1]], token: thief.token).status == 200)
            let more = try await server.auth(
                .post,
                "/factors",
                ["factor_type": "totp", "friendly_name": "x"],
                token: thief.token
            )
            #expect(more.status == 403)
            #expect(more.code == "insufficient_aal")
            let removal = try await server.auth(.delete, "/factors/\(id)", token: thief.token)
            #expect(removal.status == 422)
            #expect(removal.code == "insufficient_aal")
            #expect(try await server.auth(.put, "/user", ["password": "another horse"], token: ada.token).status == 200)
        }
    }

    @Test func `falls back when the factor is removed`() async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            let (id, _) = try await ada.raise()
            let removal = try await server.auth(.delete, "/factors/\(id)", token: ada.token)
            #expect(removal.json == ["id": .string(id)])
            let claims = try server.claims(try await server.refresh(ada.refreshToken).text("access_token"))
            #expect(claims["aal"] == "aal1")
            #expect(claims["amr"]?.array?.map { $0["method"]?.string } == ["password"])
            #expect(try await server.auth(.get, "/user", token: ada.token)["factors"] == nil)
        }
    }

    @Test func `limits names, numbers and kinds`() async throws {
        try await SignInServer.start {
            $0.factors.maximumEnrolled = 2
            $0.allowsAnonymousUsers = true
        }.use { server in
            let ada = try await FactorClient(server)
            func enroll(_ body: JSONValue, _ token: String? = nil) async throws -> SignInServer.Answer {
                try await server.auth(.post, "/factors", body, token: token ?? ada.token)
            }
            #expect(
                try await enroll(["factor_type": "phone", "phone": "4915112345678"]).code
                    == "mfa_phone_enroll_not_enabled"
            )
            #expect(try await enroll(["factor_type": "webauthn"]).code == "mfa_webauthn_enroll_not_enabled")
            #expect(try await enroll(["factor_type": "face"]).code == "validation_failed")
            let long = JSONValue.string(String(repeating: "ä", count: 128))
            #expect(try await enroll(["factor_type": "totp", "issuer": long]).code == "validation_failed")
            _ = try await ada.enroll()
            #expect(
                try await enroll(["factor_type": "totp", "friendly_name": "phone"]).code == "mfa_factor_name_conflict"
            )
            _ = try await ada.enroll("tablet")
            #expect(
                try await enroll(["factor_type": "totp", "friendly_name": "x"]).code == "too_many_enrolled_mfa_factors"
            )
            // Those that were never used make room.
            try server.application.execute("UPDATE auth.mfa_factors SET created_at = now() - interval '301 seconds'")
            _ = try await ada.enroll()
            let nobody = try await server.auth(.post, "/signup", [:]).text("access_token")
            let anonymous = try await enroll(["factor_type": "totp"], nobody)
            #expect(anonymous.status == 403)
            #expect(anonymous.code == "no_authorization")
        }
    }

    @Test func `can be turned off`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await FactorClient(server)
            let (id, _) = try await ada.enroll()
            try await SignInServer.start(databaseURL: server.application.databaseURL) {
                $0.factors.canEnrollTOTP = false
                $0.factors.canVerifyTOTP = false
            }.use { other in
                let enrolment = try await other.auth(.post, "/factors", ["factor_type": "totp"], token: ada.token)
                #expect(enrolment.code == "mfa_totp_enroll_not_enabled")
                let challenge = try await other.auth(.post, "/factors/\(id)/challenge", token: ada.token)
                #expect(challenge.code == "mfa_totp_verify_not_enabled")
            }
        }
    }

    @Test func `gives administrators the factors of an account`() async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            let (id, _) = try await ada.raise()
            let path = "/\(ada.userID)/factors"
            let list = try await server.admin(.get, path)
            #expect(list.json.array?.map { $0["id"]?.string } == [id])
            #expect(list.json[0]?["friendly_name"] == "phone")
            let renamed = try await server.admin(.put, "\(path)/\(id)", ["friendly_name": "watch"])
            #expect(renamed.text("friendly_name") == "watch")
            for (method, target) in [
                (SwiftletHTTP.Method.get, path), (.delete, "\(path)/\(id)"), (.put, "\(path)/\(id)"),
            ] {
                #expect(try await server.auth(method, "/admin/users" + target, token: ada.token).code == "not_admin")
            }
            let unknown = try await server.admin(.delete, "\(path)/\(ada.userID)")
            #expect(unknown.status == 404)
            let removed = try await server.admin(.delete, "\(path)/\(id)")
            #expect(removed.text("id") == id)
            #expect(try await server.admin(.get, path).json == [])
            #expect(try server.claims(try await server.refresh(ada.refreshToken).text("access_token"))["aal"] == "aal1")
        }
    }

    @Test func `tells the owner of every factor that comes and goes`() async throws {
        try await MailingServer.start { $0.confirmsAtOnce = true }.use { mailing in
            var ada = try await FactorClient(mailing.server)
            let (id, _) = try await ada.raise()
            _ = try await mailing.server.auth(.delete, "/factors/\(id)", token: ada.token)
            try await mailing.server.emailsAreSent()
            #expect(
                mailing.subjects(to: "ada@example.org")
                    == ["A second factor has been added", "A second factor has been removed"]
            )
        }
    }

    @Test(arguments: GoTrueDatabase.Age.allCases)
    func `works in a database of GoTrue, if its tables are new enough`(age: GoTrueDatabase.Age) async throws {
        let database = try GoTrueDatabase.create(age)
        try database.migrate()
        try await SignInServer.start(databaseURL: database.url).use { server in
            var ada = try await FactorClient(server)
            if age == .newest {
                _ = try await ada.raise()
                #expect(try server.claims(ada.token)["aal"] == "aal2")
            } else {
                let answer = try await server.auth(.post, "/factors", ["factor_type": "totp"], token: ada.token)
                #expect(answer.code == "mfa_totp_enroll_not_enabled")
            }
        }
    }
}
