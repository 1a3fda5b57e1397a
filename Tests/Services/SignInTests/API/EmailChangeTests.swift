import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// A change of address needs the word of both addresses.
@Suite(.needsDatabase, .hangLimit)
struct EmailChangeTests {
    /// A session, and the hashes of the emails to either address once a change is asked for.
    private func asked(
        _ mailing: MailingServer,
        proof: PKCE? = nil
    ) async throws -> (token: String, current: String, new: String) {
        let server = mailing.server
        _ = try await server.admin(
            .post,
            "",
            ["email": "old@example.org", "password": .string(SignInServer.password), "email_confirm": true]
        )
        let token = try await server.signIn("old@example.org").text("access_token")
        let body: JSONObject = ["email": "new@example.org"]
        let changed = try await server.auth(.put, "/user", proof?.asking(body) ?? .object(body), token: token)
        #expect(changed["email"] == "old@example.org", "\(changed.json)")
        #expect(changed["new_email"] == "new@example.org", "\(changed.json)")
        try await server.emailsAreSent()
        return (token, try mailing.hash(to: "old@example.org"), try mailing.hash(to: "new@example.org"))
    }

    @Test(arguments: [true, false], [true, false])
    func `asks both addresses, in either order, with and without autoconfirm`(
        isCurrentFirst: Bool,
        isAutoconfirmed: Bool
    ) async throws {
        let mailing = try await MailingServer.start { $0.confirmsAtOnce = isAutoconfirmed }
        let server = mailing.server
        let (token, current, new) = try await asked(mailing)
        let links = isCurrentFirst ? [current, new] : [new, current]
        let first = try await server.auth(.get, "/verify?type=email_change&token=\(links[0])")
        #expect(
            first.response.headers[.location]
                == "https://app.example#message=Confirmation%20link%20accepted.%20Please%20proceed%20to%20confirm"
                + "%20link%20sent%20to%20the%20other%20email&sb="
        )
        #expect(try await server.auth(.get, "/user", token: token)["email"] == "old@example.org")
        let again = try await server.auth(.get, "/verify?type=email_change&token=\(links[0])")
        #expect(again.response.headers[.location]?.contains("otp_expired") == true)
        let second = try await server.auth(.get, "/verify?type=email_change&token=\(links[1])")
        #expect(second.response.headers[.location]?.hasPrefix("https://app.example#access_token=") == true)
        let user = try await server.auth(.get, "/user", token: token)
        #expect(user["email"] == "new@example.org")
        #expect(user["new_email"] == nil)
        try await server.emailsAreSent()
        #expect(mailing.subjects(to: "old@example.org").last == "Your address has been changed")
        await server.stop()
    }

    @Test func `gives a code for the client's verifier with the second link only`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let proof = try PKCE()
        let (_, current, new) = try await asked(mailing, proof: proof)
        let first = try await server.auth(.get, "/verify?type=email_change&token=\(current)")
        let message = try #require(first.response.headers[.location])
        #expect(message.hasPrefix("https://app.example?message="), "\(message)")
        #expect(!message.contains("code="), "\(message)")
        let second = try await server.auth(.get, "/verify?type=email_change&token=\(new)")
        let place = try #require(second.response.headers[.location])
        let code = try #require(place.firstMatch(of: #/\?code=([^&#]+)/#)?.1)
        let session = try await proof.exchange(String(code), at: server)
        #expect(session["user"]?["email"] == "new@example.org", "\(session.json)")
        await server.stop()
    }

    @Test func `takes codes from both addresses, each from its own`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        _ = try await asked(mailing)
        func verify(_ address: String, _ code: String) async throws -> SignInServer.Answer {
            try await server.auth(
                .post,
                "/verify",
                ["type": "email_change", "email": .string(address), "token": .string(code)]
            )
        }
        let (old, new) = (try mailing.code(to: "old@example.org"), try mailing.code(to: "new@example.org"))
        if old != new { #expect(try await verify("new@example.org", old).code == "otp_expired") }
        let half = try await verify("old@example.org", old)
        #expect(half.json == ["msg": .string(AuthAPI.halfway), "code": "200"])
        #expect(try await verify("old@example.org", old).code == "otp_expired")
        #expect(try await verify("new@example.org", new)["user"]?["email"] == "new@example.org")
        await server.stop()
    }

    @Test func `forgets the word of one address for another change`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let (token, current, new) = try await asked(mailing)
        _ = try await server.auth(.get, "/verify?type=email_change&token=\(current)")
        try server.application.execute("UPDATE auth.users SET email_change_sent_at = now() - interval '2 minutes'")
        let other = try await server.auth(.put, "/user", ["email": "other@example.org"], token: token)
        #expect(other["new_email"] == "other@example.org", "\(other.json)")
        for hash in [current, new] {
            let link = try await server.auth(.get, "/verify?type=email_change&token=\(hash)")
            #expect(link.response.headers[.location]?.contains("otp_expired") == true)
        }
        try await server.emailsAreSent()
        let link = try await server.auth(
            .get,
            "/verify?type=email_change&token=\(mailing.hash(to: "other@example.org"))"
        )
        #expect(link.response.headers[.location]?.contains("message=") == true)
        await server.stop()
    }

    @Test func `asks the new address alone if so set`() async throws {
        let mailing = try await MailingServer.start { $0.asksBothAddresses = false }
        let server = mailing.server
        _ = try await server.admin(
            .post,
            "",
            ["email": "old@example.org", "password": .string(SignInServer.password), "email_confirm": true]
        )
        let token = try await server.signIn("old@example.org").text("access_token")
        _ = try await server.auth(.put, "/user", ["email": "new@example.org"], token: token)
        try await server.emailsAreSent()
        #expect(mailing.subjects(to: "old@example.org").isEmpty)
        let link = try await server.auth(.get, "/verify?type=email_change&token=\(mailing.hash(to: "new@example.org"))")
        #expect(link.response.headers[.location]?.contains("access_token=") == true)
        await server.stop()
    }

    @Test func `sends both emails again`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let (_, current, new) = try await asked(mailing)
        try server.application.execute("UPDATE auth.users SET email_change_sent_at = now() - interval '2 minutes'")
        let resent = try await server.auth(.post, "/resend", ["type": "email_change", "email": "old@example.org"])
        // A minute is also counted for the address, in memory.
        #expect([200, 429].contains(resent.status), "\(resent.json)")
        try await server.emailsAreSent()
        if resent.status == 200 {
            #expect(try mailing.hash(to: "old@example.org") != current)
            #expect(try mailing.hash(to: "new@example.org") != new)
        }
        await server.stop()
    }
}
