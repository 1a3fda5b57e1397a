import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct InviteTests {
    @Test(arguments: ["/invite", "/admin/invite"])
    func `invites somebody, again if need be, until the invitation is accepted`(path: String) async throws {
        let mailing = try await MailingServer.start { $0.isSignUpDisabled = true }
        let server = mailing.server
        let body: JSONValue = ["email": "Ada@example.org", "data": ["team": "red"]]
        func invite() async throws -> SignInServer.Answer {
            try await server.auth(.post, path, body, token: SignInServer.serviceKey)
        }
        #expect(try await server.auth(.post, path, body).code == "no_authorization")
        let invited = try await invite()
        #expect(invited.status == 200, "\(invited.json)")
        #expect(invited["invited_at"] != nil)
        #expect(invited["email"] == "ada@example.org")
        #expect(invited["user_metadata"]?["team"] == "red")
        #expect(invited["identities"]?[0]?["identity_data"]?["email_verified"] == false)
        let (old, _) = try await mailing.message()
        #expect(try await invite()["id"] == invited["id"])
        let (hash, _) = try await mailing.message()
        let replaced = try await server.auth(.get, "/verify?type=invite&token=\(old)")
        #expect(replaced.response.headers[.location]?.contains("error_code=otp_expired") == true)
        let link = try await server.auth(.get, "/verify?type=invite&token=\(hash)")
        let location = try #require(link.response.headers[.location])
        #expect(location.hasPrefix("https://app.example#access_token="), "\(location)")
        #expect(location.contains("type=invite"))
        #expect(try await invite().code == "email_exists")
        #expect(try await server.admin(.get, "/\(invited.text("id"))")["email_confirmed_at"] != nil)
        await server.stop()
    }

    @Test func `tells nobody who signs up with the address of an invitation`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let body: JSONValue = ["email": "ada@example.org", "data": ["salary": 7]]
        #expect(try await server.auth(.post, "/invite", body, token: SignInServer.serviceKey).status == 200)
        try await server.emailsAreSent()
        let shown = try await server.signUp("ada@example.org")
        #expect(shown["identities"] == [])
        #expect(shown["user_metadata"]?["salary"] == nil)
        await server.stop()
    }

    @Test func `keeps out whoever has signed up with an invited address`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        _ = try await server.signUp("ada@example.org")
        try await server.emailsAreSent()
        let invited = try await server.auth(
            .post,
            "/invite",
            ["email": "ada@example.org"],
            token: SignInServer.serviceKey
        )
        #expect(invited.status == 200, "\(invited.json)")
        let (_, code) = try await mailing.message()
        let session = try await server.auth(
            .post,
            "/verify",
            ["type": "invite", "email": "ada@example.org", "token": .string(code)]
        )
        #expect(session["access_token"] != nil, "\(session.json)")
        #expect(try await server.signIn("ada@example.org").code == "invalid_credentials")
        await server.stop()
    }

    @Test func `invites nobody without a mailer`() async throws {
        try await SignInServer.start().use { server in
            let body: JSONValue = ["email": "ada@example.org"]
            let refused = try await server.auth(.post, "/invite", body, token: SignInServer.serviceKey)
            #expect(refused.code == "email_provider_disabled")
            #expect(try server.value("SELECT count(*) FROM auth.users") == "0")
        }
    }
}
