import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Adding and removing sign-in methods of an account.
@Suite(
    .needsDatabase,
    .enabled(if: Python.hasPackages, "NO PROVIDER: .ci/setup test could not install oidc-provider-mock"),
    .hangLimit
)
struct IdentityLinkingTests {
    private let provider: HonestProvider

    init() async throws {
        provider = try HonestProvider()
        try await provider.put("ada", ["email": "ada@work.example", "email_verified": true])
    }

    private func start() async throws -> MailingServer {
        try await MailingServer.start(redirects: [provider.provider()]) {
            $0.allowsManualLinking = true
            $0.confirmsAtOnce = true
        }
    }

    private func link(_ server: SignInServer, _ token: String) async throws -> String {
        let answer = try await server.auth(
            .get,
            "/user/identities/authorize?provider=custom:work&skip_http_redirect=true",
            token: token
        )
        #expect(answer.status == 200, "\(answer.json)")
        return try await server.comeBack(try await provider.signIn("ada", at: answer.text("url")))
    }

    @Test func `links and unlinks, tells the owner, and leaves one`() async throws {
        let mailing = try await start()
        let server = mailing.server
        let session = try await server.signUp("ada@example.org")
        let place = try await link(server, session.text("access_token"))
        let token = try #require(members(of: place, after: "#")["access_token"])
        let user = try await server.auth(.get, "/user", token: token)
        #expect(user.text("id") == session["user"]?["id"]?.string)
        #expect(user.text("email") == "ada@example.org")
        let identities = try #require(user["identities"]?.array)
        #expect(identities.map { $0["provider"]?.string } == ["email", "custom:work"])
        #expect(user["app_metadata"]?["providers"] == ["email", "custom:work"])

        let twice = try await link(server, token)
        #expect(members(of: twice, after: "?")["error_code"] == "identity_already_exists")
        let bob = try await server.signUp("bob@example.org").text("access_token")
        #expect(members(of: try await link(server, bob), after: "?")["error_code"] == "identity_already_exists")

        func unlink(_ id: String, _ token: String) async throws -> SignInServer.Answer {
            try await server.auth(.delete, "/user/identities/\(id)", [:], token: token)
        }
        let id = identities[1]["identity_id"]?.string ?? ""
        #expect(try await unlink(id, bob).code == "single_identity_not_deletable")
        #expect(try await unlink("x", token).status == 404)
        #expect(try await unlink(RandomID.make(), token).code == "identity_not_found")
        #expect(try await unlink(id, token).json == [:])
        let log = """
            SELECT payload ->> 'traits' FROM auth.audit_log_entries WHERE payload ->> 'action' = 'identity_unlinked'
            """
        let traits = try JSONParser.parse(Array((server.value(log) ?? "").utf8))
        #expect(
            traits
                == [
                    "identity_id": .string(id), "provider": "custom:work",
                    "provider_id": identities[1]["id"] ?? .null,
                ]
        )
        #expect(
            try await unlink(identities[0]["identity_id"]?.string ?? "", token).code == "single_identity_not_deletable"
        )
        let after = try await server.auth(.get, "/user", token: token)
        #expect(after["app_metadata"]?["providers"] == ["email"])
        try await server.emailsAreSent()
        #expect(
            mailing.subjects(to: "ada@example.org")
                == ["A sign-in method has been added", "A sign-in method has been removed"]
        )
        await server.stop()
    }

    @Test func `takes the address of an account that keeps its number alone`() async throws {
        try await SignInServer.start { $0.allowsManualLinking = true }.use { server in
            let account = try await server.admin(
                .post,
                "",
                [
                    "email": "ada@example.org", "phone": "4915112345678", "password": "correct horse",
                    "email_confirm": true, "phone_confirm": true,
                ]
            )
            let token = try await server.signIn("ada@example.org", "correct horse").text("access_token")
            let identities = try #require(account["identities"]?.array)
            let email = identities.first { $0["provider"] == "email" }?["identity_id"]?.string ?? ""
            #expect(try await server.auth(.delete, "/user/identities/\(email)", [:], token: token).status == 200)
            let after = try await server.admin(.get, "/\(account.text("id"))")
            #expect(after.text("email") == "")
            #expect(after["email_confirmed_at"] == nil)
            #expect(after["confirmed_at"] != nil)
            #expect(after["phone"] == "4915112345678")
        }
    }

    @Test func `gives the account the address that is left, and takes the password with the mailbox`() async throws {
        let mailing = try await start()
        let server = mailing.server
        let session = try await server.signUp("ada@example.org")
        let place = try await link(server, session.text("access_token"))
        let token = try #require(members(of: place, after: "#")["access_token"])
        let user = try await server.auth(.get, "/user", token: token)
        let id = user["identities"]?[0]?["identity_id"]?.string ?? ""
        #expect(try await server.auth(.delete, "/user/identities/\(id)", [:], token: token).status == 200)
        let after = try await server.auth(.get, "/user", token: token)
        #expect(after.text("email") == "ada@work.example")
        #expect(after["email_confirmed_at"] != nil)
        for email in ["ada@example.org", "ada@work.example"] {
            #expect(try await server.signIn(email).code == "invalid_credentials")
        }
        await server.stop()
    }

    @Test func `is off unless it is turned on`() async throws {
        try await SignInServer.start(redirects: [provider.provider()]).use { server in
            let token = try await server.signUp("ada@example.org").text("access_token")
            for (method, path) in [
                (SwiftletHTTP.Method.get, "/user/identities/authorize?provider=custom:work"),
                (.delete, "/user/identities/\(RandomID.make())"),
            ] {
                let answer = try await server.auth(method, path, token: token)
                #expect(answer.status == 404)
                #expect(answer.code == "manual_linking_disabled")
            }
        }
    }
}
