import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Links in mails that clients with the PKCE flow have requested.
@Suite(.needsDatabase, .hangLimit)
struct PKCELinkTests {
    /// How each mail is requested, and the type of its link.
    enum Mail: CaseIterable {
        case signUp, resend, otp, otpOfStranger, recover, emailChange, resendEmailChange

        var type: String {
            switch self {
            case .signUp, .resend, .otpOfStranger: "signup"
            case .otp: "magiclink"
            case .recover: "recovery"
            case .emailChange, .resendEmailChange: "email_change"
            }
        }

        /// What GoTrue calls it.
        var method: String {
            switch self {
            case .signUp, .resend, .otpOfStranger: "email/signup"
            case .otp: "magiclink"
            case .recover: "recovery"
            case .emailChange, .resendEmailChange: "email_change"
            }
        }

        var address: String { type == "email_change" ? "new@example.org" : "ada@example.org" }
    }

    /// Requests the mail; answers its link and code.
    private func request(_ mail: Mail, _ key: PKCE, _ mailing: MailingServer) async throws -> (String, String) {
        let server = mailing.server
        func ask(
            _ method: SwiftletHTTP.Method,
            _ path: String,
            _ body: JSONObject,
            token: String? = nil,
            of mailing: MailingServer
        ) async throws -> (String, String) {
            let answer = try await mailing.server.auth(method, path, key.asking(body), token: token)
            #expect(answer.status == 200, "\(answer.json)")
            #expect(answer["access_token"] == nil, "\(answer.json)")
            return try await mailing.message()
        }
        switch mail {
        case .signUp:
            let password = JSONValue.string(SignInServer.password)
            return try await ask(.post, "/signup", ["email": "ada@example.org", "password": password], of: mailing)
        case .resend:
            _ = try await server.signUp("ada@example.org")
            return try await mailing.aMinuteLater {
                try await ask(.post, "/resend", ["email": "ada@example.org", "type": "signup"], of: $0)
            }
        case .otpOfStranger: return try await ask(.post, "/otp", ["email": "ada@example.org"], of: mailing)
        case .otp:
            _ = try await server.addAda()
            return try await ask(.post, "/otp", ["email": "ada@example.org"], of: mailing)
        case .recover:
            _ = try await server.addAda()
            return try await ask(.post, "/recover", ["email": "ada@example.org"], of: mailing)
        case .emailChange, .resendEmailChange:
            _ = try await server.addAda()
            let token = try await server.signIn("ada@example.org").text("access_token")
            guard mail == .resendEmailChange else {
                return try await ask(.put, "/user", ["email": "new@example.org"], token: token, of: mailing)
            }
            _ = try await server.auth(.put, "/user", ["email": "new@example.org"], token: token)
            return try await mailing.aMinuteLater {
                try await ask(.post, "/resend", ["email": "ada@example.org", "type": "email_change"], of: $0)
            }
        }
    }

    @Test(arguments: Mail.allCases)
    func `lead to a code, which the client that asked exchanges for the session`(mail: Mail) async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        let key = try PKCE()
        let (hash, _) = try await request(mail, key, mailing)
        #expect(hash.hasPrefix("pkce_"))
        let state =
            "SELECT authentication_method || ' ' || provider_type || ' ' || (user_id = (SELECT id FROM auth.users)) || ' ' || (auth_code_issued_at IS NULL) FROM auth.flow_state"
        #expect(try server.value(state) == "\(mail.method) email true true")
        #expect(try server.value("SELECT token_hash FROM auth.one_time_tokens")?.hasPrefix("pkce_") == true)

        let sessions = try server.value("SELECT count(*) FROM auth.sessions")
        let code = try await server.code(hash, mail.type)
        #expect(try server.value("SELECT count(*) FROM auth.sessions") == sessions, "not before the exchange")
        #expect(try server.value("SELECT count(*) FROM auth.refresh_tokens") == sessions)
        #expect(try server.value(state) == "\(mail.method) email true false")

        let session = try await key.exchange(code, at: server)
        #expect(session.status == 200, "\(session.json)")
        #expect(session["user"]?["email"]?.string == mail.address)
        #expect(session["user"]?["email_confirmed_at"] != nil)
        #expect(try server.claims(session.text("access_token"))["amr"]?[0]?["method"] == "otp")
        #expect(try await server.auth(.get, "/user", token: session.text("access_token")).status == 200)
        #expect(try await server.refresh(session.text("refresh_token")).status == 200)
        #expect(try server.value("SELECT count(*) FROM auth.flow_state") == "0")
        await server.stop()
    }

    @Test(arguments: [Mail.signUp, .otp, .recover, .emailChange])
    func `come with a code and a hash for the app to verify`(mail: Mail) async throws {
        for isCode in [true, false] {
            try await MailingServer.startForApp().use { mailing in
                let (hash, code) = try await request(mail, PKCE(), mailing)
                let proof: JSONValue =
                    isCode
                    ? ["type": .string(mail.type), "email": .string(mail.address), "token": .string(code)]
                    : ["type": .string(mail.type), "token_hash": .string(hash)]
                let session = try await mailing.server.auth(.post, "/verify", proof)
                #expect(session.status == 200, "\(session.json)")
                #expect(session["refresh_token"] != nil, "\(session.json)")
                // The link goes with it.
                let place = try await mailing.server.follow(hash, mail.type)
                #expect(place.contains("error_code=otp_expired"), "\(place)")
            }
        }
    }

    @Test func `take five guesses of the code, and the link then still`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        let (hash, code) = try await request(.otp, PKCE(), mailing)
        let tokens = OneTimeTokens(
            AccountStore(server.application.database),
            keys: try TestApplication.signingKeys()
        )
        for guess in [String](repeating: code == "000000" ? "000001" : "000000", count: 5) + [code] {
            await #expect(throws: SignInError.expiredCode) {
                _ = try await tokens.takeAttempt(code: guess, address: "ada@example.org", type: "magiclink")
            }
        }
        #expect(try server.value("SELECT recovery_token FROM auth.users")?.hasSuffix("#####") == true)
        _ = try await server.code(hash, "magiclink")
        await server.stop()
    }

    @Test func `report errors in the query as well`() async throws {
        try await MailingServer.startForApp().use { mailing in
            let members =
                "error=access_denied&error_code=otp_expired&error_description=Email%20link%20is%20invalid%20or%20has%20expired"
            let place = try await mailing.server.follow("pkce_x", "signup")
            #expect(place == "com.example.app://login-callback?\(members)#\(members)&sb=")
            #expect(try await mailing.server.follow("x", "signup") == "com.example.app://login-callback#\(members)&sb=")
            let other = try await mailing.server.follow("pkce_x", "signup", "https://app.example/?a=b%23c")
            #expect(other == "https://app.example/?a=b&\(members)#\(members)&sb=")
            // Nothing leads where nobody may be led.
            let evil = try await mailing.server.follow("pkce_x", "signup", "https://evil.example/")
            #expect(evil == "https://app.example?\(members)#\(members)&sb=")
        }
    }

    @Test func `keep their token when the challenge is gone`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        let (hash, _) = try await request(.signUp, PKCE(), mailing)
        try server.application.execute("DELETE FROM auth.flow_state")
        let place = try await server.follow(hash, "signup")
        #expect(place.contains("?error=access_denied&error_code=flow_state_not_found&"), "\(place)")
        #expect(try server.value("SELECT email_confirmed_at FROM auth.users") == nil)
        let session = try await server.auth(.post, "/verify", ["type": "signup", "token_hash": .string(hash)])
        #expect(session.status == 200, "\(session.json)")
        await server.stop()
    }

    @Test func `do not work without their prefix, nor others with it`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        let (bound, _) = try await request(.otp, PKCE(), mailing)
        #expect(try await server.follow(String(bound.dropFirst(5)), "magiclink").contains("#error=access_denied"))
        let (free, _) = try await mailing.aMinuteLater {
            _ = try await $0.server.auth(.post, "/recover", ["email": "ada@example.org"])
            return try await $0.message()
        }
        #expect(!free.hasPrefix("pkce_"))
        #expect(try await server.follow("pkce_" + free, "recovery").contains("error_code=otp_expired"))
        #expect(try await server.follow(free, "recovery").contains("login-callback#access_token="))
        await server.stop()
    }

    /// The stranger's password must not stay, but the code must.
    @Test func `leave no way in to who took an address that was not theirs`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.signUp("ada@example.org")
        let key = try PKCE()
        _ = try await server.auth(.post, "/otp", key.asking(["email": "ada@example.org"]))
        let (hash, _) = try await mailing.message()
        let code = try await server.code(hash, "magiclink")
        #expect(try await server.signIn("ada@example.org").code == "invalid_credentials")
        #expect(try await key.exchange(code, at: server).status == 200)
        await server.stop()
    }

    @Test(arguments: [
        "DROP TABLE auth.flow_state", "ALTER TABLE auth.flow_state DROP COLUMN auth_code_issued_at",
    ])
    func `lead straight to the session where challenges cannot be kept`(sql: String) async throws {
        func check(_ mailing: MailingServer) async throws {
            let (server, key) = (mailing.server, try PKCE())
            let asked = try await server.auth(.post, "/otp", key.asking(["email": "ada@example.org"]))
            #expect(asked.status == 200, "\(asked.json)")
            let (hash, _) = try await mailing.message()
            #expect(try await server.follow(hash, "magiclink").contains("login-callback#access_token="))
            #expect(try await key.exchange(RandomID.make(), at: server).code == "flow_state_not_found")
        }
        try await MailingServer.startForApp().use { mailing in
            _ = try await mailing.server.addAda()
            // The first server has seen the table, the second never does.
            try mailing.server.application.execute(sql)
            try await check(mailing)
            try await mailing.aMinuteLater(check)
        }
    }
}
