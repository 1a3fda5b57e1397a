import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// What a new password can be made to need.
@Suite(.needsDatabase, .hangLimit)
struct PasswordChangeTests {
    private func signedIn(_ mailing: MailingServer) async throws -> String {
        _ = try await mailing.server.admin(
            .post,
            "",
            ["email": "ada@example.org", "password": .string(SignInServer.password), "email_confirm": true]
        )
        return try await mailing.server.signIn("ada@example.org").text("access_token")
    }

    @Test func `asks for a code in an old session, takes it once, and tells the owner`() async throws {
        let mailing = try await MailingServer.start { $0.requiresReauthentication = true }
        let server = mailing.server
        let token = try await signedIn(mailing)
        func change(_ password: String, _ nonce: String? = nil) async throws -> SignInServer.Answer {
            let body: JSONObject = ["password": .string(password), "nonce": nonce.map(JSONValue.string) ?? .null]
            return try await server.auth(.put, "/user", .object(body), token: token)
        }
        #expect(try await change("new horse 1").status == 200)
        try server.application.execute("UPDATE auth.sessions SET created_at = now() - interval '25 hours'")
        #expect(try await change("new horse 2").code == "reauthentication_needed")
        #expect(try await server.auth(.get, "/reauthenticate").code == "no_authorization")
        let asked = try await server.auth(.get, "/reauthenticate", token: token)
        #expect(asked.json == [:])
        #expect(try await server.auth(.get, "/reauthenticate", token: token).code == "over_email_send_rate_limit")
        try await server.emailsAreSent()
        let code = try mailing.code(to: "ada@example.org")
        let wrong = code == "000000" ? "000001" : "000000"
        let refused = try await change("new horse 2", wrong)
        #expect(refused.status == 422)
        #expect(refused.code == "reauthentication_not_valid")
        // It opens no session.
        for type in ["reauthentication", "email", "recovery", "magiclink", "signup", "email_change"] {
            let verify = try await server.auth(
                .post,
                "/verify",
                ["type": .string(type), "email": "ada@example.org", "token": .string(code)]
            )
            #expect(verify.status >= 400, "\(type) \(verify.json)")
            // Wrong guesses lock; this is about something else.
            try server.application.execute("DELETE FROM swiftlet.login_attempts")
        }
        #expect(try await change("new horse 2", code).status == 200)
        #expect(try await change("new horse 3", code).code == "reauthentication_not_valid")
        try await server.emailsAreSent()
        #expect(mailing.subjects(to: "ada@example.org").last == "Your password has been changed")
        await server.stop()
    }

    @Test func `locks after wrong codes, and refuses even the right one then`() async throws {
        let mailing = try await MailingServer.start { $0.requiresReauthentication = true }
        let server = mailing.server
        let token = try await signedIn(mailing)
        try server.application.execute("UPDATE auth.sessions SET created_at = now() - interval '25 hours'")
        _ = try await server.auth(.get, "/reauthenticate", token: token)
        try await server.emailsAreSent()
        let code = try mailing.code(to: "ada@example.org")
        let wrong = code == "000000" ? "000001" : "000000"
        for nonce in [wrong, wrong, wrong, wrong, wrong, code] {
            let answer = try await server.auth(
                .put,
                "/user",
                ["password": "new horse 2", "nonce": .string(nonce)],
                token: token
            )
            #expect(answer.code == (nonce == code ? "over_request_rate_limit" : "reauthentication_not_valid"))
        }
        await server.stop()
    }

    @Test func `asks for the current password if so set, but not after a recovery`() async throws {
        let mailing = try await MailingServer.start { $0.requiresCurrentPassword = true }
        let server = mailing.server
        let token = try await signedIn(mailing)
        func change(_ body: JSONValue, _ token: String) async throws -> SignInServer.Answer {
            try await server.auth(.put, "/user", body, token: token)
        }
        #expect(try await change(["password": "new horse 1"], token).code == "current_password_required")
        #expect(
            try await change(["password": "new horse 1", "current_password": "wrong"], token).code
                == "current_password_invalid"
        )
        let right: JSONValue = ["password": "new horse 1", "current_password": .string(SignInServer.password)]
        #expect(try await change(right, token).status == 200)
        _ = try await server.auth(.post, "/recover", ["email": "ada@example.org"])
        try await server.emailsAreSent()
        let recovered = try await server.auth(
            .post,
            "/verify",
            ["type": "recovery", "token_hash": .string(mailing.hash(to: "ada@example.org"))]
        ).text("access_token")
        #expect(try await change(["password": "new horse 2"], recovered).status == 200)
        await server.stop()
    }

    @Test func `tells nothing that the operator does not want told`() async throws {
        let mailing = try await MailingServer.start { $0.notices = [] }
        let server = mailing.server
        let token = try await signedIn(mailing)
        #expect(try await server.auth(.put, "/user", ["password": "new horse 1"], token: token).status == 200)
        try await server.emailsAreSent()
        #expect(mailing.subjects(to: "ada@example.org").isEmpty)
        await server.stop()
    }
}
