import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// What a request for a mail does when none is sent.
@Suite(.needsDatabase, .hangLimit)
struct MailRequestTests {
    @Test func `takes nothing from the minute for what sent no mail`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        func ask(_ path: String, _ body: JSONValue) async throws -> SignInServer.Answer {
            try await server.auth(.post, path, body)
        }
        #expect(try await ask("/otp", ["email": "ada@example.org", "data": "red"]).code == "bad_json")
        #expect(try await ask("/otp", ["email": "eve@example.org", "create_user": false]).json == [:])
        try server.application.execute("ALTER TABLE auth.users RENAME banned_until TO hidden")
        for path in ["/otp", "/recover", "/resend"] {
            let failed = try await ask(path, ["email": "ada@example.org", "type": "signup"])
            #expect(failed.status >= 500, "\(path) \(failed.json)")
        }
        try server.application.execute("ALTER TABLE auth.users RENAME hidden TO banned_until")
        for path in ["/otp", "/resend"] {
            let answer = try await ask(path, ["email": "ada@example.org", "type": "signup"])
            #expect(answer.status == (path == "/otp" ? 200 : 429), "\(path) \(answer.json)")
        }
        #expect(try await ask("/otp", ["email": "ada@example.org"]).status == 429)
        #expect(try await ask("/recover", ["email": "bob@example.org"]).status == 200)
        try await server.emailsAreSent()
        #expect(mailing.count == 1)
        await server.stop()
    }

    @Test func `answers alike, and after a like time, whether there is an account or not`() async throws {
        let mailing = try await MailingServer.start {
            $0.mailRequestPace = .milliseconds(300)
            $0.isSignUpDisabled = true
        }
        let server = mailing.server
        for path in ["/otp", "/recover"] {
            let known = "known\(path.dropFirst())@example.org"
            _ = try await server.admin(.post, "", ["email": .string(known), "email_confirm": true])
            for email in [known, "nobody\(path.dropFirst())@example.org"] {
                let stopwatch = Stopwatch()
                let answer = try await server.auth(.post, path, ["email": .string(email)])
                #expect(answer.status == 200, "\(path) \(email)")
                #expect(answer.json == [:], "\(path) \(email)")
                #expect(stopwatch.wallTime >= .milliseconds(290), "\(path) \(email)")
            }
        }
        try await server.emailsAreSent()
        #expect(mailing.count == 2)
        await server.stop()
    }

    @Test func `tells of a new address only who reads its mail that somebody has it`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        _ = try await server.admin(.post, "", ["email": "taken@example.org", "email_confirm": true])
        let fields: JSONValue = [
            "email": "ada@example.org", "password": .string(SignInServer.password), "email_confirm": true,
        ]
        _ = try await server.admin(.post, "", fields)
        let token = try await server.signIn("ada@example.org").text("access_token")
        let answer = try await server.auth(.put, "/user", ["email": "taken@example.org"], token: token)
        #expect(answer.status == 200, "\(answer.json)")
        #expect(answer["new_email"] == "taken@example.org")
        try await server.emailsAreSent()
        for address in ["ada@example.org", "taken@example.org"] {
            let hash = JSONValue.string(try mailing.hash(to: address))
            let verified = try await server.auth(.post, "/verify", ["type": "email_change", "token_hash": hash])
            if address == "taken@example.org" { #expect(verified.code == "email_exists", "\(verified.json)") }
        }
        #expect(try await server.auth(.get, "/user", token: token)["email"] == "ada@example.org")
        await server.stop()
    }

    @Test(arguments: ["/otp", "/recover"])
    func `sends nothing to who must not sign in`(path: String) async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let id = try await server.admin(.post, "", ["email": "ada@example.org", "email_confirm": true]).text("id")
        try server.application.execute(
            """
            INSERT INTO users (id, tenant_id, email, password_hash, is_active)
            VALUES ('\(id)', 'acme', 'ada@example.org', '', false)
            """
        )
        #expect(try await server.auth(.post, path, ["email": "ada@example.org"]).json == [:])
        try await server.emailsAreSent()
        #expect(mailing.count == 0)
        await server.stop()
    }

    /// Bytes beyond ASCII have no place in a header, and a combining mark does not hide a `#`.
    @Test(arguments: [
        ("https://app.example/%C3%A9/%C2%85", "https://app.example/%C3%A9/%C2%85"),
        ("https://app.example/a%252Fb?c=d%23%CC%81old", "https://app.example/a%2Fb?c=d"),
    ])
    func `leads back to an address in ASCII`(redirect: String, place: String) async throws {
        try await MailingServer.start().use { mailing in
            let link = try await mailing.server.auth(.get, "/verify?type=signup&token=x&redirect_to=\(redirect)")
            #expect(link.status == 303)
            let location = try #require(link.response.headers[.location])
            #expect(location.hasPrefix("\(place)#error=access_denied"), "\(location)")
        }
    }
}
