import Foundation
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// A provider that says what it likes: nothing of it may become a session.
@Suite(.needsDatabase, .hangLimit)
struct LyingProviderTests {
    private static let issuer = TestIssuer(.p256, keyID: "liar-1")
    private let web: PythonServer
    private let http = TestHTTP.engine(trust: .system)

    init() async throws {
        web = try PythonServer.start("web_server.py")
        try await put("/keys", JSONParser.parse(Array(Self.issuer.jwks.utf8)))
        try await put("/.well-known/openid-configuration", discovery())
    }

    private var base: String { "http://localhost:\(web.port("http"))" }

    private func discovery(_ more: JSONObject = [:]) -> JSONValue {
        var document: JSONObject = [
            "issuer": .string(base), "authorization_endpoint": .string("\(base)/login"),
            "token_endpoint": .string("\(base)/token"), "userinfo_endpoint": .string("\(base)/me"),
            "jwks_uri": .string("\(base)/keys"), "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
        ]
        for (name, value) in more { document[name] = value }
        return .object(document)
    }

    private func put(_ path: String, _ value: JSONValue, status: Int = 200) async throws {
        let body = Array(value.description.utf8)
        _ = try await http.send(HTTPRequest("POST", "\(base)/__put?path=\(path)&status=\(status)", body: body))
    }

    private func start() async throws -> SignInServer {
        let client = ProviderClient(ids: ["us"], secret: Secret("a secret of ours"))
        return try await SignInServer.start(redirects: [.openID("custom:work", issuer: base, client, http)])
    }

    private func claims(_ nonce: String, _ more: JSONObject) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(base), "aud": "us", "sub": "1", "exp": 4_000_000_000, "nonce": .string(nonce),
            "email": "ada@example.org", "email_verified": true,
        ]
        for (name, value) in more { claims[name] = value }
        return claims
    }

    /// Where a sign-in ends with these claims in the ID token.
    private func signIn(_ server: SignInServer, _ more: JSONObject = [:], access: String = "a") async throws -> String {
        let asked = members(of: try await server.authorize(), after: "?")
        let token = try Self.issuer.token(.object(claims(asked["nonce"] ?? "", more)))
        try await put("/token", ["access_token": .string(access), "id_token": .string(token)])
        return try await server.comeBack(
            "https://api.example/auth/v1/callback?code=c&state=\(asked["state"] ?? "")"
        )
    }

    @Test func `proves to the provider that it is the one that asked`() async throws {
        try await start().use { server in
            let asked = members(of: try await server.authorize(), after: "?")
            let token = try Self.issuer.token(.object(claims(asked["nonce"] ?? "", [:])))
            try await put("/token", ["access_token": "a", "id_token": .string(token)])
            let place = try await server.comeBack(
                "https://api.example/auth/v1/callback?code=c&state=\(asked["state"] ?? "")"
            )
            #expect(place.contains("#access_token="), "\(place)")
            let last = try JSONParser.parse(try await http.send(HTTPRequest("GET", "\(base)/__last?path=/token")).body)
            let form = Query(last["body"]?.string ?? "")
            #expect(form["client_secret"] == "a secret of ours")
            #expect(form["redirect_uri"] == "https://api.example/auth/v1/callback")
            #expect(asked["code_challenge_method"] == "S256")
            let challenge = CodeChallenge(text: asked["code_challenge"] ?? "", method: .sha256)
            #expect(try challenge.isMade(of: form["code_verifier"] ?? ""))
        }
    }

    @Test(
        arguments: [
            (["aud": "another"], "audience"), (["iss": "https://accounts.google.com"], "issuer"),
            (["exp": 1000], "expired"),
            (["nonce": "00"], "nonce"), (["nonce": .null], "no nonce"), (["sub": .null], "no subject"),
            (["sub": ""], "empty"),
            (["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], "access token"),
        ] as [(JSONObject, String)]
    )
    func `refuses ID tokens that are not for this sign-in`(more: JSONObject, what: String) async throws {
        try await start().use { server in
            let place = try await signIn(server, more)
            #expect(
                place.hasPrefix("https://app.example?error=server_error&error_code=unexpected_failure&"),
                "\(what): \(place)"
            )
            #expect(
                members(of: place, after: "#")["error_description"]
                    == "Error getting user profile from external provider"
            )
            #expect(try server.value("SELECT count(*) FROM auth.users") == "0")
        }
    }

    @Test func `joins no account for a changed subject without an address that is vouched for`() async throws {
        try await start().use { server in
            #expect(try await signIn(server).contains("#access_token="))
            let other = try await signIn(server, ["sub": "2", "email_verified": false])
            #expect(members(of: other, after: "?")["error_code"] == "provider_email_needs_verification")
            let word = try await signIn(server, ["sub": "3", "email_verified": "yes"])
            #expect(!word.contains("access_token"))
            #expect(try server.value("SELECT count(*) FROM auth.identities") == "1")
        }
    }

    @Test func `asks for claims that the token lacks, of the same subject only`() async throws {
        try await start().use { server in
            try await put("/me", ["sub": "2", "email": "eve@example.org", "email_verified": true])
            #expect(try await signIn(server, ["email": .null]).hasPrefix("https://app.example?error=server_error"))
            try await put(
                "/me",
                ["sub": "1", "email": "ada@example.org", "email_verified": true, "iss": "x", "aud": "x"]
            )
            #expect(try await signIn(server, ["email": .null, "email_verified": .null]).contains("#access_token="))
            #expect(try server.value("SELECT email FROM auth.users") == "ada@example.org")
        }
    }

    @Test func `bears answers that are broken, huge, or lead elsewhere`() async throws {
        try await start().use { server in
            for (value, status) in [
                (["error": "invalid_grant"], 400), (["access_token": "a"], 200), ([], 200), ("text", 200),
                (["access_token": "a", "id_token": "x.y.z"], 200),
                (["access_token": "a", "id_token": .string(String(repeating: "x", count: 2 << 20))], 200),
                (["access_token": "a"], 302),
            ] as [(JSONValue, Int)] {
                let asked = members(of: try await server.authorize(), after: "?")
                try await put("/token", value, status: status)
                let place = try await server.comeBack(
                    "https://api.example/auth/v1/callback?code=c&state=\(asked["state"] ?? "")"
                )
                #expect(place.hasPrefix("https://app.example?error="), "\(place)")
            }
        }
    }

    @Test(
        arguments: [
            ["issuer": "https://accounts.google.com"], ["authorization_endpoint": "javascript:alert(1)"],
            ["token_endpoint": "http://evil.example/token"], ["token_endpoint": .null],
            ["authorization_endpoint": "file:///etc/passwd"],
        ] as [JSONObject]
    )
    func `goes nowhere by a document that cannot be right`(more: JSONObject) async throws {
        try await put("/.well-known/openid-configuration", discovery(more))
        try await start().use { server in
            let answer = try await server.auth(.get, "/authorize?provider=custom:work")
            #expect(answer.status == 503, "\(answer.json)")
        }
    }

    @Test func `trusts Microsoft's addresses by its own mark only, and every tenant's issuer`() throws {
        let tenant = "11111111-2222-3333-4444-555555555555"
        let client = ProviderClient(ids: ["us"], secret: Secret("s"))
        let all = try #require(RedirectProvider.azure(client, http).identity)
        let one = try #require(
            RedirectProvider.azure(address: "https://login.microsoftonline.com/\(tenant)/", client, http).identity
        )
        let issuer = "https://login.microsoftonline.com/\(tenant)/v2.0"
        #expect(all.isIssuer(issuer, ["tid": .string(tenant)]))
        #expect(one.isIssuer(issuer, ["tid": .string(tenant)]))
        #expect(!all.isIssuer("https://evil.example/\(tenant)/v2.0", ["tid": .string(tenant)]))
        #expect(!all.isIssuer(issuer, ["tid": "x/../y"]))
        #expect(!one.isIssuer(issuer.replacing("1111", with: "2222"), ["tid": .string(tenant)]))
        #expect(!all.vouchesForEmail(["email_verified": true]))
        #expect(all.vouchesForEmail(["xms_edov": true]))
        #expect(all.vouchesForEmail(["xms_edov": "1"]))
        #expect(!one.vouchesForEmail(["xms_edov": false]))
        #expect(one.vouchesForEmail([:]))
    }
}
