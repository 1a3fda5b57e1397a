import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// The cases of GoTrue's own suite for GitHub, at a server that answers as GitHub Enterprise does.
@Suite(.needsDatabase, .hangLimit)
struct GitHubProviderTests {
    private let web: PythonServer
    private let http = TestHTTP.engine(trust: .system)

    init() async throws {
        web = try PythonServer.start("web_server.py")
        try await put("/login/oauth/access_token", ["access_token": "github_token", "expires_in": 100_000])
        try await put("/api/v3/user", Self.person)
        try await put("/api/v3/user/emails", [Self.email("github@example.org")])
    }

    private static let person: JSONValue = [
        "id": 123, "login": "ada", "name": "GitHub Test", "avatar_url": "http://example.org/avatar",
    ]

    private static func email(_ address: String, isPrimary: Bool = true, isVerified: Bool = true) -> JSONValue {
        ["email": .string(address), "primary": .bool(isPrimary), "verified": .bool(isVerified)]
    }

    private var base: String { "http://localhost:\(web.port("http"))" }

    private func put(_ path: String, _ value: JSONValue, status: Int = 200) async throws {
        let body = Array(value.description.utf8)
        _ = try await http.send(HTTPRequest("POST", "\(base)/__put?path=\(path)&status=\(status)", body: body))
    }

    private func start(_ change: (inout SignInSettings) -> Void = { _ in }) async throws -> SignInServer {
        let client = ProviderClient(ids: ["us"], secret: Secret("a secret of ours"))
        return try await SignInServer.start(redirects: [.gitHub(address: base, client, http)]) {
            $0.confirmsAtOnce = false
            change(&$0)
        }
    }

    private func authorize(_ server: SignInServer, _ more: String = "") async throws -> String {
        let answer = try await server.auth(.get, "/authorize?provider=github\(more)")
        #expect(answer.status == 302, "\(answer.json)")
        return answer.response.headers[.location] ?? ""
    }

    private func signIn(_ server: SignInServer, _ more: String = "") async throws -> String {
        let state = members(of: try await authorize(server, more), after: "?")["state"] ?? ""
        return try await server.comeBack("https://api.example/auth/v1/callback?code=authcode&state=\(state)")
    }

    private func user(_ server: SignInServer, at place: String) async throws -> SignInServer.Answer {
        let user = try await server.auth(.get, "/user", token: members(of: place, after: "#")["access_token"])
        #expect(user.status == 200, "\(place)")
        return user
    }

    @Test func `asks for the address, and signs in with what it is told`() async throws {
        try await start().use { server in
            let asked = try await authorize(server)
            #expect(asked.hasPrefix("\(base)/login/oauth/authorize?"))
            let query = members(of: asked, after: "?")
            #expect(query["client_id"] == "us")
            #expect(query["response_type"] == "code")
            #expect(query["scope"] == "user:email")
            #expect(query["redirect_uri"] == "https://api.example/auth/v1/callback")
            let place = try await signIn(server)
            #expect(members(of: place, after: "#")["provider_token"] == "github_token", "\(place)")
            let last = try JSONParser.parse(
                try await http.send(HTTPRequest("GET", "\(base)/__last?path=/login/oauth/access_token")).body
            )
            let form = Query(last["body"]?.string ?? "")
            #expect(form["code"] == "authcode" && form["client_secret"] == "a secret of ours")
            let user = try await user(server, at: place)
            #expect(user.text("email") == "github@example.org")
            let metadata = user["user_metadata"]
            #expect(metadata?["provider_id"] == "123" && metadata?["sub"] == "123")
            #expect(metadata?["full_name"] == "GitHub Test" && metadata?["name"] == "GitHub Test")
            #expect(metadata?["user_name"] == "ada" && metadata?["preferred_username"] == "ada")
            #expect(metadata?["avatar_url"] == "http://example.org/avatar")
            #expect(metadata?["email_verified"] == true)
        }
    }

    @Test(arguments: [CodeChallenge.Method.sha256, .plain])
    func `hands a code to a client with a challenge`(method: CodeChallenge.Method) async throws {
        try await start().use { server in
            let key = try PKCE(method)
            let asking = try key.asking([:])
            let place = try await signIn(
                server,
                "&code_challenge=\(asking["code_challenge"]?.string ?? "")"
                    + "&code_challenge_method=\(asking["code_challenge_method"]?.string ?? "")"
            )
            let session = try await key.exchange(members(of: place, after: "?")["code"] ?? "", at: server)
            #expect(session.text("provider_token") == "github_token", "\(session.json)")
            #expect(session["user"]?["email"] == "github@example.org")
        }
    }

    @Test func `opens no account where sign-ups are off, except one that exists`() async throws {
        try await start { $0.isSignUpDisabled = true }.use { server in
            let closed = members(of: try await signIn(server), after: "?")
            #expect(closed["error"] == "access_denied")
            #expect(closed["error_description"] == "Signups not allowed for this instance")
            try await put("/api/v3/user/emails", [["primary": true, "verified": true]])
            let nameless = members(of: try await signIn(server), after: "?")
            #expect(nameless["error_description"] == "Error getting user email from external provider")
            try await put("/api/v3/user/emails", [Self.email("github@example.org")])
            let own = try await server.admin(.post, "", ["email": "github@example.org", "email_confirm": true])
            #expect(try await user(server, at: try await signIn(server)).text("id") == own.text("id"))
        }
    }

    @Test func `finds the account by a verified address that is not the primary one`() async throws {
        try await start { $0.isSignUpDisabled = true }.use { server in
            let own = try await server.admin(.post, "", ["email": "secondary@example.org", "email_confirm": true])
            func emails(isVerified: Bool) -> JSONValue {
                [
                    Self.email("primary@example.org"),
                    Self.email("Secondary@example.org", isPrimary: false, isVerified: isVerified),
                ]
            }
            try await put("/api/v3/user/emails", emails(isVerified: false))
            #expect(members(of: try await signIn(server), after: "?")["error_code"] == "signup_disabled")
            try await put("/api/v3/user/emails", emails(isVerified: true))
            let user = try await user(server, at: try await signIn(server))
            #expect(user.text("id") == own.text("id"))
            #expect(user.text("email") == "secondary@example.org")
            #expect(user["identities"]?[1]?["identity_data"]?["email"] == "primary@example.org")
        }
    }

    @Test func `seizes an account whose secondary address nobody has proved to own`() async throws {
        try await start().use { server in
            let taken = try await server.admin(
                .post,
                "",
                ["email": "secondary@example.org", "password": "attacker1"]
            )
            try await put(
                "/api/v3/user/emails",
                [Self.email("primary@example.org"), Self.email("secondary@example.org", isPrimary: false)]
            )
            let user = try await user(server, at: try await signIn(server))
            #expect(user.text("id") == taken.text("id"))
            #expect(user["identities"]?.array?.count == 1)
            #expect(try await server.signIn("secondary@example.org", "attacker1").code == "invalid_credentials")
        }
    }

    @Test func `needs an address, and one that is verified`() async throws {
        try await start().use { server in
            for (emails, error, text) in [
                (
                    [["primary": true, "verified": true]], "server_error",
                    "Error getting user email from external provider"
                ),
                ([], "server_error", "Error getting user email from external provider"),
                (
                    [Self.email("github@example.org", isVerified: false)], "access_denied",
                    "Unverified email with github. Verify the email with github in order to sign in"
                ),
            ] as [(JSONValue, String, String)] {
                try await put("/api/v3/user/emails", emails)
                let place = try await signIn(server)
                for mark: Character in ["?", "#"] {
                    #expect(members(of: place, after: mark)["error"] == error, "\(place)")
                    #expect(members(of: place, after: mark)["error_description"] == text)
                }
            }
            #expect(try server.value("SELECT count(*) FROM auth.users") == "0")
        }
    }

    @Test func `takes no answer without a token or an id`() async throws {
        try await start().use { server in
            for (path, value) in [
                ("/login/oauth/access_token", ["error": "bad_verification_code"]), ("/api/v3/user", ["login": "ada"]),
                ("/api/v3/user", ["id": "123"]), ("/api/v3/user", []),
            ] as [(String, JSONValue)] {
                try await put("/login/oauth/access_token", ["access_token": "github_token"])
                try await put(path, value)
                let place = try await signIn(server)
                #expect(members(of: place, after: "?")["error"] == "server_error", "\(place)")
                try await put("/api/v3/user", Self.person)
            }
            #expect(try server.value("SELECT count(*) FROM auth.users") == "0")
        }
    }
}
