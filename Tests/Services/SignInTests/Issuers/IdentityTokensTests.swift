import SwiftletBytes
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletWeb
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.enabled(if: Python.isInstalled, "install python3"), .hangLimit)
struct IdentityTokensTests {
    private static let now = 1_700_000_000
    private static let clock = ServerClock(nanoseconds: { 1 }, milliseconds: { now * 1000 })
    private static let apple = TestIssuer(.p256, keyID: "apple-1")
    private static let google = TestIssuer(.ed25519, keyID: "google-1")

    /// Apple by the P-256 key, Google by the Ed25519 one, from a server that counts.
    private func tokens(
        skipsNonceCheck: Bool = false
    ) async throws -> (tokens: IdentityTokens, base: String, server: PythonServer) {
        let server = try PythonServer.start("web_server.py")
        let base = "http://127.0.0.1:\(server.port("http"))"
        try await put("\(base)/__put?path=/apple", Self.apple.jwks)
        try await put("\(base)/__put?path=/google", Self.google.jwks)
        var apple = IdentityProvider.apple(
            clientIDs: ["com.example.app", "web.example"],
            keys: .url("\(base)/apple"),
            TestHTTP.engine
        )
        apple.skipsNonceCheck = skipsNonceCheck
        let google = IdentityProvider.google(clientIDs: ["g-client"], keys: .url("\(base)/google"), TestHTTP.engine)
        let off = IdentityProvider(
            name: "github",
            issuers: ["https://github.example"],
            audiences: [],
            keys: PublishedKeys(.url("\(base)/apple"), TestHTTP.engine)
        )
        return (IdentityTokens([apple, google, off], clock: Self.clock), base, server)
    }

    private func put(_ url: String, _ body: String) async throws {
        _ = try await send(.post(url, Array(body.utf8)))
    }

    private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await request.sent()
    }

    private static func claims(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
        var object: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": "com.example.app", "sub": "001.abc",
            "exp": .number(.init(now + 600)),
            "iat": .number(.init(now - 5)), "email": "Ada@Example.com", "email_verified": "true",
            "is_private_email": "true", "auth_time": .number(.init(now - 6)),
        ]
        for (name, value) in changes { object[name] = value }
        return .object(object)
    }

    private func refusal(
        _ changes: [String: JSONValue?],
        provider: String? = "apple",
        issuer: String? = nil,
        nonce: String? = nil,
        signedBy key: TestIssuer = apple
    ) async throws -> SignInError? {
        let (tokens, _, server) = try await tokens()
        defer { withExtendedLifetime(server) {} }
        do {
            let token = try key.token(Self.claims(changes))
            _ = try await tokens.verify(token, provider: provider, issuer: issuer, nonce: nonce)
            return nil
        } catch {
            return error as? SignInError
        }
    }

    @Test(
        arguments: [
            ("apple", nil), (nil, "https://appleid.apple.com"), ("https://account.apple.com", nil),
            ("apple", "ignored"),
        ] as [(String?, String?)]
    )
    func `takes Apple's tokens`(provider: String?, issuer: String?) async throws {
        let (tokens, base, server) = try await tokens()
        defer { withExtendedLifetime(server) {} }
        for named in ["https://appleid.apple.com", "https://account.apple.com"] {
            let token = try Self.apple.token(Self.claims(["iss": .string(named)]))
            let identity = try await tokens.verify(token, provider: provider, issuer: issuer, nonce: nil)
            #expect(
                identity.provider == "apple" && identity.subject == "001.abc"
                    && identity.identityData["iss"]?.string == named
            )
            #expect(identity.email == "ada@example.com")
            #expect(identity.isEmailVerified)
            #expect(identity.identityData["custom_claims"]?["is_private_email"] == true)
            #expect(identity.identityData["custom_claims"]?["auth_time"]?.int == Self.now - 6)
            #expect(identity.identityData["sub"] == "001.abc")
            #expect(identity.identityData["email_verified"] == true)
        }
        // Fetched once for all of them.
        let count = try await send(.get("\(base)/__count?path=/apple"))
        #expect(String(decoding: count.body, as: UTF8.self) == "1")
    }

    @Test func `takes Google's tokens, and those without an address`() async throws {
        let (tokens, _, server) = try await tokens()
        defer { withExtendedLifetime(server) {} }
        let claims = Self.claims([
            "iss": "accounts.google.com", "aud": ["x", "g-client"], "email": nil, "name": "Ada L.",
            "picture": "https://p",
        ])
        let identity = try await tokens.verify(Self.google.token(claims), provider: "google", issuer: nil, nonce: nil)
        #expect(identity.provider == "google")
        #expect(identity.email == nil)
        #expect(!identity.isEmailVerified)
        #expect(identity.identityData["full_name"] == "Ada L.")
        #expect(identity.identityData["avatar_url"] == "https://p")
    }

    @Test(
        arguments: [
            (["aud": "evil.app"], "Unacceptable audience in id_token: [evil.app]"),
            (["aud": ["a", "b"]], "Unacceptable audience in id_token: [a b]"),
            (["aud": nil], "Unacceptable audience in id_token: []"),
            (["aud": "g-client"], "Unacceptable audience in id_token: [g-client]"),
            (["iss": "https://evil.example"], "Unacceptable issuer in id_token: expected https://appleid.apple.com"),
            (
                ["iss": "https://accounts.google.com"],
                "Unacceptable issuer in id_token: expected https://appleid.apple.com"
            ),
            (["iss": nil], "Unacceptable issuer in id_token: expected https://appleid.apple.com"),
            (["exp": .number(.init(now - 31))], "Bad ID token: token is expired"),
            (["exp": nil], "Bad ID token: token claims are incomplete or of a wrong type"),
            (["exp": "soon"], "Bad ID token: token claims are incomplete or of a wrong type"),
            (["iat": .number(.init(now + 31))], "Bad ID token: token is not valid yet"),
            (["nbf": .number(.init(now + 31))], "Bad ID token: token is not valid yet"),
            (["sub": nil], "Missing sub claim in id_token"), (["sub": ""], "Missing sub claim in id_token"),
            (["sub": 7], "Missing sub claim in id_token"),
            (["nonce": "x"], "Passed nonce and nonce in id_token should either both exist or not."),
        ] as [([String: JSONValue?], String)]
    )
    func `refuses in the OAuth shape`(changes: [String: JSONValue?], text: String) async throws {
        let error = try #require(try await refusal(changes))
        #expect(error.status == .badRequest)
        #expect(error.isOAuth)
        #expect(error.code == "invalid request")
        #expect(error.message == text)
    }

    @Test func `refuses another provider's signature, and another key by the same name`() async throws {
        #expect(try await refusal([:], signedBy: Self.google)?.message == "Bad ID token: token key is not known")
        let impostor = TestIssuer(.ed25519, keyID: "apple-1")
        #expect(try await refusal([:], signedBy: impostor)?.message == "Bad ID token: token key is not known")
        let token = try Self.apple.token(Self.claims())
        let (tokens, _, server) = try await tokens()
        defer { withExtendedLifetime(server) {} }
        let parts = token.split(separator: ".")
        let other = try Self.apple.token(Self.claims(["sub": "002"])).split(separator: ".")
        for forged in [
            "\(parts[0]).\(other[1]).\(parts[2])", "\(parts[0]).\(parts[1]).", "a.b.c", "", "x",
            try Self.apple.token(Self.claims(), header: #"{"alg":"none"}"#),
            try Self.apple.token(Self.claims(), header: #"{"alg":"HS256","kid":"apple-1"}"#),
            try Self.apple.token(Self.claims(), header: #"{"alg":"ES256","kid":"../../etc/passwd"}"#),
            try Self.apple.token(Self.claims(), header: #"{"alg":"ES256","kid":"' OR 1=1 --"}"#),
            try Self.apple.token(
                Self.claims(),
                header: #"{"alg":"ES256","kid":"\#(String(repeating: "k", count: 9000))"}"#
            ),
        ] {
            let error = await #expect(throws: SignInError.self) {
                try await tokens.verify(forged, provider: "apple", issuer: nil, nonce: nil)
            }
            #expect(error?.isOAuth == true)
            #expect(error?.code == "invalid request")
        }
    }

    @Test(
        arguments: [
            ("raw", "raw", "Nonces mismatch", "invalid nonce"),
            ("raw", "04AABEAE9BFAF4F7C91E6E66D5D4F7C4A1F3D3C0", "Nonces mismatch", "invalid nonce"),
            ("raw", nil, "Passed nonce and nonce in id_token should either both exist or not.", "invalid request"),
            (nil, "x", "Passed nonce and nonce in id_token should either both exist or not.", "invalid request"),
        ] as [(String?, String?, String, String)]
    )
    func `refuses a nonce that does not fit`(
        passed: String?,
        claimed: String?,
        text: String,
        code: String
    ) async throws {
        let error = try #require(try await refusal(["nonce": claimed.map(JSONValue.string)], nonce: passed))
        #expect(error.message == text)
        #expect(error.code.rawValue == code)
        #expect(error.isOAuth)
    }

    @Test func `wants the lower-case hexadecimal SHA-256 of the raw nonce`() async throws {
        // printf raw | sha256sum
        let right = "d7439bee24773bcbfa2d0a97947ee36227b10d1022b1a55847e928965bb6bfde"
        #expect(try await refusal(["nonce": .string(right)], nonce: "raw") == nil)
        #expect(try await refusal(["nonce": .string(right.uppercased())], nonce: "raw")?.code == "invalid nonce")
        let (tokens, _, server) = try await tokens(skipsNonceCheck: true)
        defer { withExtendedLifetime(server) {} }
        let token = try Self.apple.token(Self.claims(["nonce": "the SDK's own"]))
        _ = try await tokens.verify(token, provider: "apple", issuer: nil, nonce: nil)
    }

    @Test func `holds an access token against its hash`() async throws {
        let (tokens, _, server) = try await tokens()
        defer { withExtendedLifetime(server) {} }
        let hash = Array(try MessageDigest.sha256(Array("access".utf8)).prefix(16))
        let token = try Self.apple.token(Self.claims(["at_hash": .string(Base64URL.encode(hash.span))]))
        for access in ["access", nil] {
            _ = try await tokens.verify(token, provider: "apple", issuer: nil, nonce: nil, accessToken: access)
        }
        await #expect(throws: SignInError.self) {
            try await tokens.verify(token, provider: "apple", issuer: nil, nonce: nil, accessToken: "another")
        }
    }

    @Test(arguments: ["nobody", "https://evil.example"])
    func `refuses a provider that is not known`(name: String) async throws {
        let error = try #require(try await refusal([:], provider: name))
        #expect(error.status == .badRequest)
        #expect(error.code == "validation_failed")
        #expect(error.message == "Custom OIDC provider \"\(name)\" not allowed")
    }

    @Test(arguments: ["github", "https://github.example"])
    func `refuses a provider that is not configured`(name: String) async throws {
        let error = try #require(try await refusal([:], provider: name))
        #expect(error.code == "provider_disabled")
        #expect(error.message == "Provider (issuer \"https://github.example\") is not enabled")
    }

    @Test func `names the issuer of a provider that is not configured, before it reads the token`() async throws {
        let none = IdentityTokens([])
        let error = await #expect(throws: SignInError.self) {
            try await none.verify("mock", provider: "google", issuer: nil, nonce: nil)
        }
        #expect(error?.code == "provider_disabled")
        #expect(error?.message == "Provider (issuer \"https://accounts.google.com\") is not enabled")
    }

    @Test func `asks for both halves of the request`() async throws {
        #expect(try await refusal([:], provider: nil)?.message == "provider or client_id and issuer required")
    }

    @Test func `is a 503 while a provider's keys cannot be had`() async throws {
        let apple = IdentityProvider.apple(
            clientIDs: ["com.example.app"],
            keys: .url("http://127.0.0.1:1/"),
            TestHTTP.engine
        )
        let tokens = IdentityTokens([apple], clock: Self.clock)
        let token = try Self.apple.token(Self.claims())
        let error = await #expect(throws: SignInError.self) {
            try await tokens.verify(token, provider: "apple", issuer: nil, nonce: nil)
        }
        #expect(error?.status == .serviceUnavailable)
        #expect(error?.retryAfterSeconds == 5)
    }

    @Test func `knows a key that was rotated in meanwhile`() async throws {
        let (tokens, base, server) = try await tokens()
        defer { withExtendedLifetime(server) {} }
        _ = try await tokens.verify(Self.apple.token(Self.claims()), provider: "apple", issuer: nil, nonce: nil)
        let next = TestIssuer(.ed25519, keyID: "apple-2")
        try await put("\(base)/__put?path=/apple", next.jwks)
        let identity = try await tokens.verify(next.token(Self.claims()), provider: "apple", issuer: nil, nonce: nil)
        #expect(identity.subject == "001.abc")
    }
}
