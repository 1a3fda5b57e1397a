import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Sign-in at a provider by redirect.
@Suite(
    .needsDatabase,
    .enabled(if: Python.hasPackages, "NO PROVIDER: .ci/setup test could not install oidc-provider-mock"),
    .hangLimit
)
struct ProviderTests {
    private let provider: HonestProvider

    init() async throws {
        provider = try HonestProvider()
        try await provider.put(
            "ada",
            [
                "email": "Ada@example.org", "email_verified": true, "name": "Ada L.",
                "picture": "https://p.example/a.png",
            ]
        )
    }

    private func start(_ change: (inout SignInSettings) -> Void = { _ in }) async throws -> SignInServer {
        try await SignInServer.start(redirects: [provider.provider()]) {
            $0.redirectAllowList = ["com.example.app://login-callback"]
            change(&$0)
        }
    }

    @Test func `signs in with a session in the fragment, and finds the account again`() async throws {
        try await start().use { server in
            let first = try await server.comeBack(try await provider.signIn("ada", at: try await server.authorize()))
            #expect(first.hasPrefix("https://app.example#access_token="), "\(first)")
            let session = members(of: first, after: "#")
            #expect(
                session.names
                    == [
                        "access_token", "expires_at", "expires_in", "provider_token", "provider_refresh_token",
                        "refresh_token", "sb", "token_type",
                    ]
            )
            let user = try await server.auth(.get, "/user", token: session["access_token"])
            #expect(user.text("email") == "ada@example.org")
            #expect(user["email_confirmed_at"] != nil)
            #expect(user["app_metadata"] == ["provider": "custom:work", "providers": ["custom:work"]])
            #expect(user["user_metadata"]?["full_name"] == "Ada L.")
            #expect(user["user_metadata"]?["avatar_url"] == "https://p.example/a.png")
            #expect(user["identities"]?[0]?["id"] == "ada")
            #expect(try server.claims(session["access_token"] ?? "")["amr"]?[0]?["method"] == "oauth")
            let second = try await server.comeBack(try await provider.signIn("ada", at: try await server.authorize()))
            let again = try await server.auth(.get, "/user", token: members(of: second, after: "#")["access_token"])
            #expect(again.text("id") == user.text("id"))
        }
    }

    @Test func `gives a client with a challenge a code, and with it the provider's tokens once`() async throws {
        try await start().use { server in
            let key = try PKCE()
            let challenge = try key.asking([:])
            let place = try await server.authorize(
                "&redirect_to=com.example.app://login-callback&code_challenge=\(challenge["code_challenge"]?.string ?? "")"
                    + "&code_challenge_method=S256&scopes=email+calendar&prompt=consent&client_id=evil&state=mine&nonce=n"
            )
            let asked = members(of: place, after: "?")
            #expect(asked["client_id"] == "our-server")
            #expect(asked.all("state").count == 1 && asked["state"] != "mine")
            #expect(asked.all("nonce").count == 1 && asked["nonce"] != "n")
            #expect(asked["prompt"] == "consent")
            #expect(asked["scope"] == "openid email profile email calendar")
            #expect(asked["redirect_uri"] == "https://api.example/auth/v1/callback")
            #expect(asked["code_challenge"] == nil, "the client's challenge is ours alone")
            let back = try await server.comeBack(
                try await provider.signIn("ada", at: place.replacing("%20calendar", with: ""))
            )
            #expect(back.hasPrefix("com.example.app://login-callback?code="), "\(back)")
            let code = members(of: back, after: "?")["code"] ?? ""
            #expect(try await PKCE().exchange(code, at: server).code == "bad_code_verifier")
            let session = try await key.exchange(code, at: server)
            #expect(session.status == 200, "\(session.json)")
            #expect(!session.text("provider_token").isEmpty)
            #expect(!session.text("provider_refresh_token").isEmpty)
            #expect(try server.claims(session.text("access_token"))["amr"]?[0]?["method"] == "oauth")
            #expect(try await key.exchange(code, at: server).code == "flow_state_not_found")
            #expect(try await server.refresh(session.text("refresh_token"))["provider_token"] == nil)
            #expect(try server.value("SELECT count(*) FROM auth.flow_state") == "0")
        }
    }

    @Test func `takes a state once, from one of fifty, and not when it is old or made up`() async throws {
        try await start().use { server in
            let place = try await provider.signIn("ada", at: try await server.authorize())
            let places = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...50 { group.addTask { try await server.comeBack(place) } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(places.count { $0.contains("#access_token=") } == 1)
            #expect(
                places.count { $0.hasPrefix("https://app.example?error=invalid_request&error_code=bad_oauth_state") }
                    == 49
            )
            let old = try await provider.signIn("ada", at: try await server.authorize())
            try server.application.execute(
                "UPDATE swiftlet.provider_redirects SET created_at = now() - interval '301 seconds'"
            )
            #expect(try await server.comeBack(old).contains("error_code=bad_oauth_state"))
            for (state, code) in [
                ("", "bad_oauth_callback"), ("&state=", "bad_oauth_callback"), ("&state=x", "bad_oauth_state"),
                ("&state=\(RandomID.make())", "bad_oauth_state"), ("&state=..%2F", "bad_oauth_state"),
            ] {
                let answer = try await server.comeBack("https://api.example/auth/v1/callback?code=x\(state)")
                #expect(members(of: answer, after: "?")["error_code"] == code)
            }
        }
    }

    @Test func `tells the app why there is no session`() async throws {
        let server = try await start { $0.isSignUpDisabled = true }
        let closed = try await server.comeBack(try await provider.signIn("ada", at: try await server.authorize()))
        for mark: Character in ["?", "#"] {
            #expect(members(of: closed, after: mark)["error"] == "access_denied")
            #expect(members(of: closed, after: mark)["error_code"] == "signup_disabled")
        }
        let state = members(of: try await server.authorize(), after: "?")["state"] ?? ""
        let denied = try await server.comeBack(
            "https://api.example/auth/v1/callback?state=\(state)&error=access_denied&error_description=No%20%3Cb%3E"
        )
        #expect(
            denied.hasPrefix("https://app.example?error=access_denied&error_description=No%20%3Cb%3E#error="),
            "\(denied)"
        )
        await server.stop()
        try await start().use { open in
            let next = members(of: try await open.authorize(), after: "?")["state"] ?? ""
            let wrong = try await open.comeBack("https://api.example/auth/v1/callback?state=\(next)&code=made-up")
            #expect(members(of: wrong, after: "?")["error"] == "server_error")
            #expect(members(of: wrong, after: "?")["error_code"] == "unexpected_failure")
            for (query, error, code, text) in [
                ("", "invalid_request", "bad_oauth_callback", "OAuth callback with missing authorization code"),
                ("&code=", "invalid_request", "bad_oauth_callback", "OAuth callback with missing authorization code"),
                ("&error=%3Cscript%3E&error_description=x", "script", nil, "x"),
                // The app must see that it failed.
                ("&error=%3C%3E", "server_error", nil, nil), ("&error=%20&code=x", "server_error", nil, nil),
                ("&error=temporarily_unavailable", "temporarily_unavailable", nil, nil),
            ] as [(String, String, String?, String?)] {
                let state = members(of: try await open.authorize(), after: "?")["state"] ?? ""
                let place = try await open.comeBack("https://api.example/auth/v1/callback?state=\(state)\(query)")
                #expect(place.contains("sb=") && !place.contains("access_token"))
                for (name, value) in [("error", error), ("error_code", code), ("error_description", text)] {
                    #expect(members(of: place, after: "#")[name] == value, "\(place)")
                    #expect(members(of: place, after: "?")[name].flatMap { $0.isEmpty ? nil : $0 } == value, "\(place)")
                }
            }
            // A member of the app's own address stays, and none stands for the answer's.
            let state = members(of: try await open.authorize("&redirect_to=\(Self.crowded)"), after: "?")["state"] ?? ""
            let place = try await open.comeBack("https://api.example/auth/v1/callback?state=\(state)&error=x")
            #expect(members(of: place, after: "?")["tab"] == "2", "\(place)")
            #expect(members(of: place, after: "?").all("error") == ["x"])
        }
    }

    private static let crowded = "https%3A%2F%2Fapp.example%2Fin%3Ftab%3D2%26error%3Dmine%26code%3Dmine"

    private static let elsewhere = [
        "https://evil.example", "https://app.example.evil.example", "https://app.example@evil.example",
        "https://app.example%40evil.example", "//evil.example", "///evil.example", "/%5Cevil.example",
        "%5C%5Cevil.example", "https:evil.example", "https:/evil.example", "https:///evil.example",
        "http://app.example", "https://app.example:8443", "javascript:alert(1)", "JavaScript:alert(1)",
        "data:text/html,x", "vbscript:x", "file:///etc/passwd", "https://evil.example/https://app.example",
        "https://evil.example?https://app.example", "https://evil.example%23https://app.example",
        "https://app.example%5C@evil.example", "https://app.example%09.evil.example",
        "https://app.example%0D%0ALocation:%20https://evil.example",
        "com.example.app://other", "com.example.app.evil://login-callback", "com.example.app:login-callback",
        "https://%61pp.example.evil.example", "https://app.example%E3%80%82evil.example",
        "https://app.ex%C3%A4mple", "%20https://evil.example",
    ]

    @Test func `leads nowhere else`() async throws {
        try await start().use { server in
            for redirect in Self.elsewhere {
                let sent = try await server.authorize("&redirect_to=\(redirect)")
                let state = members(of: sent, after: "?")["state"] ?? ""
                let place = try await server.comeBack("https://api.example/auth/v1/callback?state=\(state)&error=x")
                #expect(place.hasPrefix("https://app.example?error=x&"), "\(redirect) \(place)")
            }
        }
    }

    @Test func `names what it does not know`() async throws {
        try await start().use { server in
            for query in ["", "?provider=", "?provider=google", "?provider=custom:other", "?provider=email"] {
                let answer = try await server.auth(.get, "/authorize" + query)
                #expect(answer.status == 400)
                #expect(answer.text("message").hasPrefix("Unsupported provider: "))
            }
            for (name, message) in [
                ("google", "Unsupported provider: provider is not enabled"),
                ("mine", "Unsupported provider: Provider mine could not be found"),
            ] {
                #expect(try await server.auth(.get, "/authorize?provider=\(name)").text("message") == message)
            }
            #expect(try await server.auth(.get, "/authorize?provider=Custom%3AWork").status == 302)
            let short = try await server.auth(
                .get,
                "/authorize?provider=custom:work&code_challenge=short&code_challenge_method=s256"
            )
            #expect(short.code == "validation_failed")
            let settings = try await server.auth(.get, "/settings")
            #expect(settings["external"]?["google"] == false)
            let url = try await server.auth(.get, "/authorize?provider=custom:work&skip_http_redirect=true")
            #expect(url.status == 200)
            #expect(url.text("url").contains("/oauth2/authorize?"))
            #expect(!url.text("url").contains("skip_http_redirect"))
        }
    }

    @Test func `refuses the banned and the closed, and opens the door to the invited`() async throws {
        try await start { $0.isSignUpDisabled = true }.use { server in
            let invited = try await server.admin(.post, "", ["email": "ada@example.org"])
            try server.application.execute("UPDATE auth.users SET invited_at = now()")
            let joined = try await server.comeBack(try await provider.signIn("ada", at: try await server.authorize()))
            let token = members(of: joined, after: "#")["access_token"]
            let user = try await server.auth(.get, "/user", token: token)
            #expect(user.text("id") == invited.text("id"), "\(joined)")
            #expect(user["email_confirmed_at"] != nil)

            _ = try await server.admin(.put, "/\(invited.text("id"))", ["ban_duration": "1h"])
            for subject in ["ada", "ada-by-another-name"] {
                try await provider.put(subject, ["email": "ada@example.org", "email_verified": true])
                let banned = try await server.comeBack(
                    try await provider.signIn(subject, at: try await server.authorize())
                )
                for mark: Character in ["?", "#"] {
                    let answer = members(of: banned, after: mark)
                    #expect(answer["error"] == "access_denied", "\(banned)")
                    #expect(answer["error_code"] == "user_banned")
                    #expect(answer["error_description"] == "User is banned")
                }
            }
            // Nobody learns here who has an account.
            for email in ["ada@example.org", "nobody@example.org"] {
                try await provider.put("eve", ["email": .string(email), "email_verified": false])
                let closed = try await server.comeBack(
                    try await provider.signIn("eve", at: try await server.authorize())
                )
                #expect(members(of: closed, after: "?")["error_code"] == "signup_disabled", "\(closed)")
            }
        }
    }

    @Test func `makes no account of an address that the provider does not vouch for`() async throws {
        let server = try await start()
        try await provider.put("eve", ["email": "ada@example.org", "email_verified": false])
        for isKnown in [false, true] {
            if isKnown { _ = try await server.signUp("ada@example.org") }
            let place = try await server.comeBack(try await provider.signIn("eve", at: try await server.authorize()))
            let code = members(of: place, after: "?")["error_code"]
            #expect(code == "provider_email_needs_verification", "\(isKnown) \(place)")
            #expect(members(of: place, after: "#")["error"] == "access_denied")
        }
        #expect(try server.value("SELECT count(*) FROM auth.users") == "1")
        try await provider.put("nobody", ["name": "N."])
        let nameless = try await server.comeBack(try await provider.signIn("nobody", at: try await server.authorize()))
        #expect(members(of: nameless, after: "?")["error"] == "server_error")
        #expect(
            members(of: nameless, after: "#")["error_description"] == "Error getting user email from external provider"
        )
        await server.stop()
        try await SignInServer.start(redirects: [provider.provider { $0.isEmailOptional = true }]).use { lenient in
            let place = try await lenient.comeBack(
                try await provider.signIn("nobody", at: try await lenient.authorize())
            )
            let user = try await lenient.auth(.get, "/user", token: members(of: place, after: "#")["access_token"])
            #expect(user.text("email") == "")
            #expect(user["is_anonymous"] == false)
        }
    }
}
