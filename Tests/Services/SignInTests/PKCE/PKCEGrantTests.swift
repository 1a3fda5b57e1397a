import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// `POST /token?grant_type=pkce`.
@Suite(.needsDatabase, .hangLimit)
struct PKCEGrantTests {
    /// A code that the link in a mail has led to.
    private func code(_ key: PKCE, _ mailing: MailingServer, _ path: String = "/otp") async throws -> String {
        let server = mailing.server
        #expect(try await server.auth(.post, path, key.asking(["email": "ada@example.org"])).status == 200)
        let (hash, _) = try await mailing.message()
        return try await server.code(hash, path == "/otp" ? "magiclink" : "recovery")
    }

    @Test(arguments: [CodeChallenge.Method.sha256, .plain])
    func `takes the code once, with its verifier`(method: CodeChallenge.Method) async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        let key = try PKCE(method)
        let code = try await code(key, mailing)
        let wrong = try await PKCE(method).exchange(code, at: server)
        #expect(wrong.status == 400, "\(wrong.json)")
        #expect(wrong.code == "bad_code_verifier", "\(wrong.json)")
        #expect(wrong.text("message") == "code challenge does not match previously saved code verifier")
        #expect(try server.value("SELECT count(*) FROM auth.sessions") == "0")
        #expect(try await key.exchange(code.uppercased(), at: server).status == 200)
        let again = try await key.exchange(code, at: server)
        #expect(again.status == 404, "\(again.json)")
        #expect(again.code == "flow_state_not_found", "\(again.json)")
        #expect(again.text("message") == "invalid flow state, no valid flow state found")
        #expect(try server.value("SELECT count(*) FROM auth.sessions") == "1")
        await server.stop()
    }

    @Test func `opens one session when two servers exchange at the same moment`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        let key = try PKCE()
        let code = try await code(key, mailing)
        let other = try await mailing.startOtherForApp()
        let blocker = try BlockingConnection.connect(to: server.application.databaseURL)
        try blocker.execute("BEGIN; SELECT FROM auth.users FOR UPDATE")
        let exchanges = [server, other.server].map { server in
            Task { try await key.exchange(code, at: server).status }
        }
        try await server.waitForLock(count: 2)
        try blocker.execute("COMMIT")
        let statuses = [try await exchanges[0].value, try await exchanges[1].value]
        #expect(statuses.sorted() == [200, 404])
        await other.server.stop()
        #expect(try server.value("SELECT count(*) FROM auth.sessions") == "1")
        await server.stop()
    }

    @Test func `names what is missing`() async throws {
        try await SignInServer.start().use { server in
            for body: JSONValue in [
                [:], ["auth_code": "x"], ["code_verifier": "x"], ["auth_code": "", "code_verifier": "x"],
                ["auth_code": "x", "code_verifier": nil],
            ] {
                let answer = try await server.auth(.post, "/token?grant_type=pkce", body)
                #expect(answer.status == 400)
                #expect(answer.code == "validation_failed")
                #expect(
                    answer.text("message") == "invalid request: both auth code and code verifier should be non-empty"
                )
            }
            for code in ["x", RandomID.make(), "' OR true --"] {
                let body: JSONValue = ["auth_code": .string(code), "code_verifier": "x"]
                let answer = try await server.auth(.post, "/token?grant_type=pkce", body)
                #expect(answer.status == 404)
                #expect(answer.code == "flow_state_not_found")
            }
        }
    }

    @Test func `refuses a code five minutes after the link was followed, and before`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        let key = try PKCE()
        _ = try await server.auth(.post, "/otp", key.asking(["email": "ada@example.org"]))
        // Whoever reads the table knows the code, and the email is still unread.
        let early = try #require(try server.value("SELECT auth_code FROM auth.flow_state"))
        #expect(try await key.exchange(early, at: server).code == "flow_state_not_found")
        let (hash, _) = try await mailing.message()
        // However long ago the mail was requested.
        try server.application.execute("UPDATE auth.flow_state SET created_at = created_at - interval '50 minutes'")
        let code = try await server.code(hash, "magiclink")
        func age(_ seconds: Int) throws {
            try server.application.execute(
                "UPDATE auth.flow_state SET auth_code_issued_at = auth_code_issued_at - interval '\(seconds) seconds'"
            )
        }
        try age(301)
        let late = try await key.exchange(code, at: server)
        #expect(late.status == 422, "\(late.json)")
        #expect(late.code == "flow_state_expired", "\(late.json)")
        #expect(late.text("message") == "invalid flow state, flow state has expired")
        try age(-20)
        #expect(try await key.exchange(code, at: server).status == 200)
        await server.stop()
    }

    @Test func `keeps the links of different people and purposes apart`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        _ = try await server.admin(.post, "", ["email": "bob@example.org", "email_confirm": true])
        let (adas, bobs) = (try PKCE(), try PKCE())
        _ = try await server.auth(.post, "/otp", adas.asking(["email": "ada@example.org"]))
        let (hash, _) = try await mailing.message()
        _ = try await server.auth(.post, "/otp", bobs.asking(["email": "bob@example.org"]))
        _ = try await mailing.message()
        let code = try await server.code(hash, "magiclink")
        #expect(try await bobs.exchange(code, at: server).code == "bad_code_verifier")
        let session = try await adas.exchange(code, at: server)
        #expect(session["user"]?["email"] == "ada@example.org", "\(session.json)")
        await server.stop()
    }

    /// Both kinds of token share a column, and whoever has a link can write another type into it.
    @Test(arguments: ["/otp", "/recover"])
    func `takes no older challenge for a newer link`(path: String) async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        let (older, newer) = (try PKCE(), try PKCE())
        _ = try await server.auth(.post, "/recover", older.asking(["email": "ada@example.org"]))
        let (first, _) = try await mailing.message()
        let (second, _) = try await mailing.aMinuteLater {
            _ = try await $0.server.auth(.post, path, newer.asking(["email": "ada@example.org"]))
            return try await $0.message()
        }
        #expect(try server.value("SELECT count(*) FROM auth.flow_state") == "1")
        #expect(try await server.follow(first, "recovery").contains("error_code=otp_expired"))
        if path == "/otp" {
            #expect(try await server.follow(second, "recovery").contains("error_code=flow_state_not_found"))
        }
        let code = try await server.code(second, path == "/otp" ? "magiclink" : "recovery")
        #expect(try await older.exchange(code, at: server).code == "bad_code_verifier")
        #expect(try await newer.exchange(code, at: server).status == 200)
        await server.stop()
    }

    @Test func `goes on with a code after another mail was requested`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        let key = try PKCE()
        let code = try await code(key, mailing)
        // By somebody else, perhaps.
        try await mailing.aMinuteLater {
            _ = try await $0.server.auth(.post, "/recover", PKCE().asking(["email": "ada@example.org"]))
        }
        #expect(try server.value("SELECT count(*) FROM auth.flow_state") == "2")
        #expect(try await key.exchange(code, at: server).status == 200)
        await server.stop()
    }

    @Test func `lets nobody in who must not sign in`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        let id = try await server.addAda()
        let key = try PKCE()
        let code = try await code(key, mailing)
        _ = try await server.admin(.put, "/\(id)", ["ban_duration": "1h"])
        #expect(try await key.exchange(code, at: server).code == "user_banned")
        #expect(try server.value("SELECT count(*) FROM auth.sessions") == "0")
        _ = try await server.admin(.put, "/\(id)", ["ban_duration": "none"])
        #expect(try await server.admin(.delete, "/\(id)").status == 200)
        // What led to a session of the account is gone with it.
        #expect(try await key.exchange(code, at: server).code == "flow_state_not_found")
        await server.stop()
    }

    /// Somebody who knew the old password may have followed the link, too.
    @Test func `takes no code from before the password changed`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        let id = try await server.addAda()
        let key = try PKCE()
        let code = try await code(key, mailing, "/recover")
        #expect(try await server.admin(.put, "/\(id)", ["password": "another horse"]).status == 200)
        #expect(try await key.exchange(code, at: server).code == "flow_state_not_found")
        await server.stop()
    }

    @Test func `knows no codes of other methods`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        let key = try PKCE()
        let code = try await code(key, mailing)
        try server.application.execute("UPDATE auth.flow_state SET authentication_method = 'sso/saml'")
        #expect(try await key.exchange(code, at: server).code == "flow_state_not_found")
        await server.stop()
    }
}
