import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct EmailLinkTests {
    @Test func `confirms a sign-up by code, and gives no address away`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let new = try await server.signUp("ada@example.org")
        #expect(new.status == 200)
        #expect(new["access_token"] == nil)
        #expect(new["identities"]?.array?.count == 1)
        #expect(new["email_confirmed_at"] == nil)
        #expect(try await server.signIn("ada@example.org").code == "email_not_confirmed")
        let (_, code) = try await mailing.message()
        let wrong = code == "000000" ? "000001" : "000000"
        func verify(_ code: String) async throws -> SignInServer.Answer {
            try await server.auth(
                .post,
                "/verify",
                ["type": "signup", "email": "Ada@example.org", "token": .string(code)]
            )
        }
        #expect(try await verify(wrong).code == "otp_expired")
        let session = try await verify(code)
        #expect(session.status == 200, "\(session.json)")
        #expect(session["user"]?["email_confirmed_at"] != nil)
        #expect(session["user"]?["user_metadata"]?["email_verified"] == true)
        #expect(try server.claims(session.text("access_token"))["amr"]?[0]?["method"] == "otp")
        #expect(try await verify(code).code == "otp_expired")
        #expect(try await server.signIn("ada@example.org").status == 200)

        // Signing up once more looks like the first time, but for the identities.
        let again = try await server.signUp("ada@example.org")
        #expect(again.status == 200)
        #expect(again["identities"] == [])
        #expect(again["id"] != new["id"])
        #expect(again["email"] == "ada@example.org")
        await server.stop()
    }

    @Test func `leads back in by link, to allowed places only`() async throws {
        let mailing = try await MailingServer.start {
            $0.redirectAllowList = ["myapp://callback", "https://*.friends.example/**"]
        }
        let server = mailing.server
        _ = try await server.admin(
            .post,
            "",
            ["email": "ada@example.org", "password": "forgotten1", "email_confirm": true]
        )
        for redirect in ["myapp://callback", "https://evil.example/", "https://app.example@evil.example/"] {
            let asked = try await server.auth(
                .post,
                "/recover?redirect_to=\(redirect)",
                ["email": "ada@example.org"]
            )
            // Only the first goes through: once a minute.
            #expect(asked.status == (redirect == "myapp://callback" ? 200 : 429))
        }
        let (hash, _) = try await mailing.message()
        let link = try await server.auth(.get, "/verify?type=recovery&token=\(hash)&redirect_to=https://evil.example/")
        #expect(link.status == 303)
        #expect(link.response.headers[.location]?.hasPrefix("https://app.example#access_token=") == true)
        let token = try #require(
            link.response.headers[.location]?.firstMatch(of: #/access_token=([^&]+)/#).map { String($0.1) }
        )
        let changed = try await server.auth(.put, "/user", ["password": "remembered1"], token: token)
        #expect(changed.status == 200)
        #expect(try await server.signIn("ada@example.org", "remembered1").status == 200)
        let used = try await server.auth(.get, "/verify?type=recovery&token=\(hash)&redirect_to=myapp://callback")
        #expect(
            used.response.headers[.location]?.hasPrefix("myapp://callback#error=access_denied&error_code=otp_expired")
                == true
        )
        await server.stop()
    }

    @Test func `keeps the token of a link that can lead nowhere`() async throws {
        let mailing = try await MailingServer.start { $0.siteURL = nil }
        let server = mailing.server
        _ = try await server.signUp("ada@example.org")
        let (hash, _) = try await mailing.message()
        let link = try await server.auth(.get, "/verify?type=signup&token=\(hash)")
        #expect(link.status == 400, "\(link.json)")
        #expect(link.code == "validation_failed", "\(link.json)")
        let session = try await server.auth(.post, "/verify", ["type": "signup", "token_hash": .string(hash)])
        #expect(session.status == 200, "\(session.json)")
        await server.stop()
    }

    @Test func `redeems the code of an account whose address GoTrue's tables hold in capitals`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        _ = try await server.admin(.post, "", ["email": "ada@example.org", "email_confirm": true])
        try server.application.execute("UPDATE auth.users SET email = 'Ada@Example.ORG'")
        _ = try await server.auth(.post, "/recover", ["email": "ada@example.org"])
        let (_, code) = try await mailing.message()
        let body: JSONValue = ["type": "recovery", "email": "ada@example.org", "token": .string(code)]
        let session = try await server.auth(.post, "/verify", body)
        #expect(session.status == 200, "\(session.json)")
        await server.stop()
    }

    @Test func `goes on when the table of tokens is dropped`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        _ = try await server.signUp("ada@example.org")
        let (first, _) = try await mailing.message()
        try server.application.execute("DROP TABLE auth.one_time_tokens")
        let confirmed = try await server.auth(.post, "/verify", ["type": "signup", "token_hash": .string(first)])
        #expect(confirmed.status == 200, "\(confirmed.json)")
        #expect(try await server.auth(.post, "/recover", ["email": "ada@example.org"]).status == 200)
        let (second, _) = try await mailing.message()
        let link = try await server.auth(.post, "/verify", ["type": "recovery", "token_hash": .string(second)])
        #expect(link.status == 200, "\(link.json)")
        await server.stop()
    }

    @Test func `answers the same for addresses that nobody has`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        for path in ["/recover", "/otp", "/resend"] {
            let email = JSONValue.string("nobody\(path.dropFirst())@example.org")
            let body: JSONValue = ["email": email, "create_user": true, "type": "signup"]
            let first = try await server.auth(.post, path, body)
            #expect(first.status == 200)
            #expect(first.json == [:])
            let second = try await server.auth(.post, path, body)
            #expect(second.status == 429)
            #expect(second.code == "over_email_send_rate_limit")
            #expect(Int(second.response.headers[.retryAfter] ?? "") ?? 0 > 50)
        }
        let closed = try await server.auth(.post, "/otp", ["email": "x@example.org", "create_user": false])
        #expect(closed.status == 200)
        #expect(closed.json == [:])
        // Only the one-time password made an account, and sent something.
        #expect(try server.value("SELECT count(*) FROM auth.users") == "1")
        try await server.emailsAreSent()
        #expect(mailing.count == 1)
        await server.stop()
    }

    @Test func `signs in by a code, and makes the account when there is none`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        _ = try await server.auth(.post, "/otp", ["email": "ada@example.org", "data": ["color": "red"]])
        let (_, code) = try await mailing.message()
        let session = try await server.auth(
            .post,
            "/verify",
            ["type": "email", "email": "ada@example.org", "token": .string(code)]
        )
        #expect(session.status == 200, "\(session.json)")
        #expect(session["user"]?["user_metadata"]?["color"] == "red")
        #expect(session["refresh_token"] != nil)
        await server.stop()
    }

    @Test func `leaves no way in to who took an address that was not theirs`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        _ = try await server.signUp("ada@example.org")
        _ = try await server.auth(.post, "/otp", ["email": "ada@example.org"])
        let (_, code) = try await mailing.message()
        let session = try await server.auth(
            .post,
            "/verify",
            ["type": "magiclink", "email": "ada@example.org", "token": .string(code)]
        )
        #expect(session.status == 200, "\(session.json)")
        #expect(try await server.signIn("ada@example.org").code == "invalid_credentials")
        await server.stop()
    }

    @Test func `proves an address by its own emails, whatever number is confirmed`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let fields: JSONValue = [
            "email": "ada@example.org", "password": "attacker1", "phone": "4915112345678", "phone_confirm": true,
        ]
        #expect(try await server.admin(.post, "", fields).status == 200)
        #expect(try await server.auth(.post, "/resend", ["type": "signup", "email": "ada@example.org"]).status == 200)
        _ = try await mailing.message()
        // Somebody is signed in by the number.
        try server.application.execute(
            "INSERT INTO auth.sessions (id, user_id) SELECT gen_random_uuid(), id FROM auth.users"
        )
        #expect(try await server.auth(.post, "/recover", ["email": "ada@example.org"]).status == 200)
        let (hash, _) = try await mailing.message()
        let session = try await server.auth(.post, "/verify", ["type": "recovery", "token_hash": .string(hash)])
        #expect(session.status == 200, "\(session.json)")
        #expect(session["user"]?["email_confirmed_at"] != nil, "\(session.json)")
        #expect(try await server.signIn("ada@example.org", "attacker1").code == "invalid_credentials")
        #expect(try server.value("SELECT count(*) FROM auth.sessions") == "1")
        await server.stop()
    }

    @Test func `keeps the old address until the new one is confirmed`() async throws {
        let mailing = try await MailingServer.start { $0.asksBothAddresses = false }
        let server = mailing.server
        _ = try await server.admin(
            .post,
            "",
            ["email": "ada@example.org", "password": .string(SignInServer.password), "email_confirm": true]
        )
        let token = try await server.signIn("ada@example.org").text("access_token")
        let asked = try await server.auth(.put, "/user", ["email": "new@example.org"], token: token)
        #expect(asked["email"] == "ada@example.org")
        #expect(asked["new_email"] == "new@example.org")
        #expect(try await server.signIn("new@example.org").code == "invalid_credentials")
        let (hash, _) = try await mailing.message()
        // Another way in meanwhile does not take the change back.
        _ = try await server.auth(.post, "/recover", ["email": "ada@example.org"])
        let (recovery, _) = try await mailing.message()
        let back = try await server.auth(.post, "/verify", ["type": "recovery", "token_hash": .string(recovery)])
        #expect(back["user"]?["new_email"] == "new@example.org")
        let session = try await server.auth(.post, "/verify", ["type": "email_change", "token_hash": .string(hash)])
        #expect(session.status == 200, "\(session.json)")
        #expect(session["user"]?["email"] == "new@example.org")
        #expect(session["user"]?["new_email"] == nil)
        #expect(try await server.signIn("new@example.org").status == 200)
        await server.stop()
    }

    @Test func `proves no address by the link that went to another one`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let password = JSONValue.string(SignInServer.password)
        _ = try await server.admin(
            .post,
            "",
            ["email": "eve@example.org", "password": password, "email_confirm": true]
        )
        let token = try await server.signIn("eve@example.org").text("access_token")
        _ = try await server.auth(.put, "/user", ["email": "eve2@example.org"], token: token)
        let (hash, _) = try await mailing.message()
        // So soon it would get no email, and nothing changes.
        let soon = try await server.auth(
            .put,
            "/user",
            ["email": "ada@example.org", "data": ["x": 1]],
            token: token
        )
        #expect(soon.status == 429, "\(soon.json)")
        #expect(soon.code == "over_email_send_rate_limit", "\(soon.json)")
        #expect(soon.response.headers[.retryAfter].flatMap(Int.init).map { (50...60).contains($0) } == true)
        let row = "SELECT email_change || coalesce(raw_user_meta_data ->> 'x', '') FROM auth.users"
        #expect(try server.value(row) == "eve2@example.org")
        try server.application.execute(
            "UPDATE auth.users SET email_change_sent_at = email_change_sent_at - interval '61 seconds'"
        )
        #expect(try await server.auth(.put, "/user", ["email": "ada@example.org"], token: token).status == 200)
        let answer = try await server.auth(.post, "/verify", ["type": "email_change", "token_hash": .string(hash)])
        #expect(answer.code == "otp_expired", "\(answer.json)")
        #expect(try server.value("SELECT count(*) FROM auth.users WHERE email = 'ada@example.org'") == "0")
        await server.stop()
    }

    @Test func `makes no account in the way of somebody whom only public.users knows`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        // The hash is of SignInServer.password, as another server would have left it.
        let hash = try PasswordHash.make(SignInServer.password, cost: 4)
        try server.application.execute(
            "INSERT INTO users (id, tenant_id, email, password_hash) "
                + "VALUES ('b0000000-0000-4000-8000-000000000001', 'acme', 'ada@example.org', '\(hash)')"
        )
        #expect(try await server.auth(.post, "/otp", ["email": "ada@example.org"]).status == 200)
        #expect(try server.value("SELECT count(*) FROM auth.users") == "0")
        let session = try await server.signIn("ada@example.org")
        #expect(session.status == 200, "\(session.json)")
        #expect(session["user"]?["id"] == "b0000000-0000-4000-8000-000000000001")
        await server.stop()
    }

    /// Who had a session may have asked for another address, and would take the account over by confirming it later.
    @Test(arguments: [true, false])
    func `lets nobody in by an email that was asked for before the password changed`(
        isByAdministrator: Bool
    ) async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let password = JSONValue.string(SignInServer.password)
        let account: JSONValue = ["email": "ada@example.org", "password": password, "email_confirm": true]
        let id = try await server.admin(.post, "", account).text("id")
        let stolen = try await server.signIn("ada@example.org").text("access_token")
        #expect(try await server.auth(.put, "/user", ["email": "eve@example.org"], token: stolen).status == 200)
        let (change, changeCode) = try await mailing.message()
        _ = try await server.auth(.post, "/recover", ["email": "ada@example.org"])
        let (recovery, _) = try await mailing.message()
        let session = try await server.signIn("ada@example.org").text("access_token")
        let new: JSONValue = ["password": "another horse"]
        let changed =
            isByAdministrator
            ? try await server.admin(.put, "/\(id)", new) : try await server.auth(.put, "/user", new, token: session)
        #expect(changed.status == 200)
        #expect(changed["new_email"] == nil)
        for body: JSONValue in [
            ["type": "email_change", "token_hash": .string(change)],
            ["type": "email_change", "email": "eve@example.org", "token": .string(changeCode)],
            ["type": "recovery", "token_hash": .string(recovery)],
        ] {
            let answer = try await server.auth(.post, "/verify", body)
            #expect(answer.code == "otp_expired", "\(answer.json)")
        }
        // Nor does anybody get the email once more.
        let sent = mailing.count
        _ = try await server.auth(.post, "/resend", ["email": "ada@example.org", "type": "email_change"])
        try await server.emailsAreSent()
        #expect(mailing.count == sent)
        #expect(try server.value("SELECT count(*) FROM auth.one_time_tokens") == "0")
        await server.stop()
    }

    @Test func `changes password and address at once`() async throws {
        let mailing = try await MailingServer.start { $0.asksBothAddresses = false }
        let server = mailing.server
        let password = JSONValue.string(SignInServer.password)
        let account: JSONValue = ["email": "ada@example.org", "password": password, "email_confirm": true]
        _ = try await server.admin(.post, "", account)
        let token = try await server.signIn("ada@example.org").text("access_token")
        let body: JSONValue = ["email": "new@example.org", "password": "another horse"]
        #expect(try await server.auth(.put, "/user", body, token: token)["new_email"] == "new@example.org")
        let (hash, _) = try await mailing.message()
        let moved = try await server.auth(.post, "/verify", ["type": "email_change", "token_hash": .string(hash)])
        #expect(moved["user"]?["email"] == "new@example.org", "\(moved.json)")
        #expect(try await server.signIn("new@example.org", "another horse").status == 200)
        await server.stop()
    }

    @Test func `leads nobody in by an email to the address before`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let account: JSONValue = ["email": "old@example.org", "email_confirm": true]
        let id = try await server.admin(.post, "", account).text("id")
        _ = try await server.auth(.post, "/recover", ["email": "old@example.org"])
        let (hash, _) = try await mailing.message()
        _ = try await server.admin(.put, "/\(id)", ["email": "new@example.org"])
        let answer = try await server.auth(.post, "/verify", ["type": "recovery", "token_hash": .string(hash)])
        #expect(answer.code == "otp_expired", "\(answer.json)")
        await server.stop()
    }

    @Test func `ends guessing, and leaves a link alone that is only looked at`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        _ = try await server.signUp("ada@example.org")
        let (hash, code) = try await mailing.message()
        let looked = try await server.auth(.head, "/verify?type=signup&token=\(hash)")
        #expect(looked.response.headers[.location] == nil)
        let wrong = JSONValue.string(code == "000000" ? "000001" : "000000")
        for attempt in 1...6 {
            let answer = try await server.auth(
                .post,
                "/verify",
                ["type": "signup", "email": "ada@example.org", "token": wrong]
            )
            #expect(answer.status == (attempt < 6 ? 403 : 429), "\(attempt)")
        }
        let session = try await server.auth(.post, "/verify", ["type": "signup", "token_hash": .string(hash)])
        #expect(session.status == 200, "\(session.json)")
        await server.stop()
    }
}
