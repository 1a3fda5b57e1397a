import SwiftletJSON
import Testing

@testable import SwiftletAuth

/// Two issuers beside our own: each one's keys speak for itself only.
@Suite struct ExternalIssuerTests {
    private static let firebase = "https://securetoken.google.com/p1"
    private static let corporate = "https://corp.example"
    private let fixture: TokenFixture

    init() throws { fixture = try TokenFixture() }

    /// Firebase has the P-256 key, the corporation the Ed25519 one, we have the secret and the RSA key.
    private func verifier(now: Double = 1000) throws -> TokenVerifier {
        let verifier = try TokenVerifier(
            secret: fixture.secret,
            keys: KeySet(jwks: Array(#"{"keys":[\#(RFC.RS256.publicKey.named("rsa-1"))]}"#.utf8)),
            issuers: [
                TrustedIssuer(issuer: Self.firebase, audiences: ["p1", "p2"]),
                TrustedIssuer(
                    issuer: Self.corporate,
                    audiences: ["api"],
                    tenant: ClaimPath("org.id"),
                    roleLevel: ClaimPath("https://corp.example/level"),
                    role: ClaimPath("org.role")
                ),
            ],
            clock: { now }
        )
        try verifier.replaceKeys(KeySet(jwks: Array(RFC.ES256.publicKey.named("ec-1").utf8)), of: Self.firebase)
        try verifier.replaceKeys(KeySet(jwks: Array(RFC.EdDSA.publicKey.named("ed-1").utf8)), of: Self.corporate)
        return verifier
    }

    private func payload(_ issuer: String, _ audience: String, _ more: String = "") -> String {
        #"{"iss":"\#(issuer)","aud":"\#(audience)","sub":"u1","exp":2000\#(more)}"#
    }

    @Test func `verifies each by its own keys`() throws {
        let verifier = try verifier()
        for _ in 0..<2 {
            let user = try verifier.verify(token: fixture.signed(by: fixture.p256, payload(Self.firebase, "p2")))
            #expect(user.id == "u1")
            #expect(user.isExternal)
            #expect(user.isPerson)
            #expect(user.role == "authenticated")
            #expect(user.tenant == nil)
            #expect(user.roleLevel == 1)
            #expect(!user.hasRoleLevel)
            #expect(!user.isPlatformUser)
        }
        #expect(
            try verifier.verify(token: fixture.signed(by: fixture.ed25519, payload(Self.corporate, "api"))).id == "u1"
        )
        #expect(try verifier.verify(token: fixture.signed(by: fixture.rsa)).id == "u1")
        #expect(try !verifier.verify(token: fixture.hs256()).isExternal)
    }

    @Test func `never uses an issuer's key for another issuer`() throws {
        let verifier = try verifier()
        for key in [fixture.rsa, fixture.ed25519] {
            #expect(throws: TokenError.unknownKey) {
                try verifier.verify(token: fixture.signed(by: key, payload(Self.firebase, "p1")))
            }
        }
        for key in [fixture.rsa, fixture.p256] {
            #expect(throws: TokenError.unknownKey) {
                try verifier.verify(token: fixture.signed(by: key, payload(Self.corporate, "api")))
            }
        }
        // Their keys, and no issuer of theirs named: ours decide, which do not know them.
        for payload in [TokenFixture.goodPayload, payload("https://elsewhere.example", "p1")] {
            for key in [fixture.p256, fixture.ed25519] {
                #expect(throws: TokenError.unknownKey) { try verifier.verify(token: fixture.signed(by: key, payload)) }
            }
        }
        // Our secret speaks for nobody else, twice in case something was remembered.
        for issuer in [Self.firebase, Self.corporate] {
            for _ in 0..<2 {
                #expect(throws: TokenError.wrongIssuer) {
                    try verifier.verify(token: fixture.hs256(payload(issuer, "p1")))
                }
            }
        }
    }

    @Test func `never uses a public key as a secret`() throws {
        // The classic: HS256 with the text of the public key.
        let verifier = try verifier()
        let text = RFC.ES256.publicKey.named("ec-1")
        let forger = try HMACKey(Secret(text))
        for header in [
            #"{"alg":"HS256","kid":"ec-1"}"#, #"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"ES256","kid":"ec-1"}"#,
        ] {
            let token = fixture.token(header, payload(Self.firebase, "p1")) { message in
                forger.code(for: message.span).map { code in code.indices.map { code[$0] } } ?? []
            }
            #expect(throws: TokenError.badSignature) { try verifier.verify(token: token) }
        }
        for header in [#"{"alg":"none"}"#, #"{"alg":"none","kid":"ec-1"}"#, #"{"alg":"ES512","kid":"ec-1"}"#] {
            let token = try fixture.signed(by: fixture.p256, payload(Self.firebase, "p1"), header: header)
            #expect(throws: TokenError.unsupportedAlgorithm) { try verifier.verify(token: token) }
        }
        for header in [#"{"alg":"RS256","kid":"ec-1"}"#, #"{"alg":"EdDSA","kid":"ec-1"}"#] {
            let token = try fixture.signed(by: fixture.p256, payload(Self.firebase, "p1"), header: header)
            #expect(throws: TokenError.unknownKey) { try verifier.verify(token: token) }
        }
    }

    @Test(arguments: [
        "../../../../etc/passwd", "/dev/null", "' OR 1=1 --", "ec-1' UNION SELECT 1", "ec-1\\u0000", "ec-1 ", "EC-1",
        "",
        "${jndi:ldap://evil}", "https://evil.example/jwks", "ed-1", "rsa-1",
    ])
    func `treats a key's name as nothing but a name`(keyID: String) throws {
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let token = try fixture.signed(by: fixture.p256, payload(Self.firebase, "p1"), header: header)
        #expect(throws: TokenError.unknownKey) { try verifier().verify(token: token) }
    }

    @Test(arguments: ["jwk", "jku", "x5c", "x5u"]) func `ignores keys in the token itself`(name: String) throws {
        let header = #"{"alg":"EdDSA","kid":"ed-1","\#(name)":\#(RFC.EdDSA.publicKey)}"#
        let token = try fixture.signed(by: fixture.ed25519, payload(Self.firebase, "p1"), header: header)
        #expect(throws: TokenError.unknownKey) { try verifier().verify(token: token) }
    }

    @Test func `reads no huge header or payload`() throws {
        let long = String(repeating: "k", count: 17_000)
        let header = #"{"alg":"ES256","kid":"\#(long)"}"#
        let token = try fixture.signed(by: fixture.p256, payload(Self.firebase, "p1"), header: header)
        #expect(throws: TokenError.tooLarge) { try verifier().verify(token: token) }
        let deep = String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000)
        let nested = try fixture.signed(by: fixture.p256, payload(Self.firebase, "p1", #","x":\#(deep)"#))
        #expect(throws: (any Error).self) { try verifier().verify(token: nested) }
        let shallow = try fixture.signed(by: fixture.p256, payload(Self.firebase, "p1", #","x":\#(deep.prefix(1500))"#))
        #expect(throws: TokenError.malformed) { try verifier().verify(token: shallow) }
    }

    @Test func `judges audience, times and subject`() throws {
        func error(_ payload: String, now: Double = 1000) throws -> TokenError? {
            let token = try fixture.signed(by: fixture.p256, payload)
            let verifier = try verifier(now: now)
            do throws(TokenError) {
                _ = try verifier.verify(token: token)
                return nil
            } catch {
                return error
            }
        }
        let issuer = Self.firebase
        #expect(try error(payload(issuer, "p1")) == nil)
        #expect(try error(payload(issuer, "api")) == .wrongAudience)
        #expect(try error(#"{"iss":"\#(issuer)","sub":"u1","exp":2000}"#) == .wrongAudience)
        #expect(try error(#"{"iss":"\#(issuer)","aud":["x","p2"],"sub":"u1","exp":2000}"#) == nil)
        #expect(try error(#"{"iss":"\#(issuer)","aud":{"p1":1},"sub":"u1","exp":2000}"#) == .wrongAudience)
        #expect(try error(#"{"iss":"\#(issuer)","aud":"p1","sub":"u1"}"#) == .invalidClaims)
        #expect(try error(#"{"iss":"\#(issuer)","aud":"p1","exp":2000}"#) == .invalidClaims)
        #expect(try error(#"{"iss":"\#(issuer)","aud":"p1","sub":"","exp":2000}"#) == .invalidClaims)
        #expect(try error(#"{"iss":"\#(issuer)","aud":"p1","sub":7,"exp":2000}"#) == .invalidClaims)
        #expect(try error(payload(issuer, "p1"), now: 2029) == nil)
        #expect(try error(payload(issuer, "p1"), now: 2030) == .expired)
        #expect(try error(payload(issuer, "p1", #","nbf":1031"#)) == .notYetValid)
        // Of two, the last: as every reader of JSON here has it.
        let twice = #"{"iss":"\#(issuer)","aud":"p1","sub":"u1","exp":2000,"iss":"\#(Self.corporate)"}"#
        #expect(try error(twice) == .unknownKey)
    }

    @Test func `judges a remembered token's claims anew`() throws {
        let clock = TestClock(1000)
        let verifier = try TokenVerifier(
            secret: nil,
            issuers: [TrustedIssuer(issuer: Self.firebase, audiences: ["p1"])],
            clock: { clock.now }
        )
        let token = try fixture.signed(by: fixture.p256, payload(Self.firebase, "p1"))
        #expect(throws: TokenError.unknownKey) { try verifier.verify(token: token) }
        try verifier.replaceKeys(KeySet(jwks: Array(RFC.ES256.publicKey.named("ec-1").utf8)), of: Self.firebase)
        _ = try verifier.verify(token: token)
        let other = try fixture.signed(by: fixture.p256, payload(Self.firebase, "p2"))
        for _ in 0..<2 { #expect(throws: TokenError.wrongAudience) { try verifier.verify(token: other) } }
        clock.now = 2031
        #expect(throws: TokenError.expired) { try verifier.verify(token: token) }
        clock.now = 1000
        verifier.replaceKeys(KeySet(), of: Self.firebase)
        #expect(throws: TokenError.unknownKey) { try verifier.verify(token: token) }
    }

    private static let greedy =
        #","role":"service_role","app_metadata":{"tenant_id":"t9","role_level":8,"is_platform_user":true,"#
        + #""role":"PLATFORM_ADMIN"},"user_metadata":{"name":"Eve"},"email":"eve@example.com""#

    @Test func `takes no rights from claims that are not configured`() throws {
        let token = try fixture.signed(by: fixture.p256, payload(Self.firebase, "p1", Self.greedy))
        let user = try verifier().verify(token: token)
        #expect(!user.isServiceRole)
        #expect(user.isPerson)
        #expect(user.role == "authenticated")
        #expect(user.tenant == nil)
        #expect(user.roleLevel == 1)
        #expect(!user.isPlatformUser)
        #expect(user.roleCode == nil)
        #expect(user.email == "eve@example.com")
        #expect(user.userMetadata["name"] == "Eve")
        #expect(user.claims["role"] == "authenticated")
        #expect(user.appMetadata == [:])
        let placed = user.placed(in: try #require(TenantID(rawValue: "t1")), roleLevel: 8)
        #expect(placed.tenant?.rawValue == "t1")
        #expect(placed.roleLevel == 7)
        #expect(!placed.isPlatformUser)
    }

    @Test func `takes rights from the configured paths`() throws {
        let more = #","org":{"id":42,"role":"TECH"},"https://corp.example/level":"3""# + Self.greedy
        let token = try fixture.signed(by: fixture.ed25519, payload(Self.corporate, "api", more))
        let user = try verifier().verify(token: token)
        #expect(user.tenant?.rawValue == "42")
        #expect(user.roleLevel == 3)
        #expect(user.roleCode == "TECH")
        #expect(!user.isPlatformUser)
        #expect(!user.isServiceRole)
        #expect(user.role == "authenticated")
    }

    @Test(arguments: [
        ("8", "ADMIN"), (#""8""#, "ADMIN"), ("99", "ADMIN"), ("7", "PLATFORM_ADMIN"), ("7", "Platform_Admin"),
    ])
    func `makes nobody a platform administrator by the configured paths`(level: String, role: String) throws {
        let more = #","org":{"id":"t1","role":"\#(role)"},"https://corp.example/level":\#(level)"#
        let token = try fixture.signed(by: fixture.ed25519, payload(Self.corporate, "api", more))
        let user = try verifier().verify(token: token)
        #expect(!user.isPlatformUser)
        #expect(user.roleLevel == 7)
        #expect(user.tenant?.rawValue == "t1")
        #expect(user.roleCode == (role == "ADMIN" ? "ADMIN" : nil))
        #expect(user.appMetadata["roleLevel"] == 7)
        #expect(try !user.placed(in: #require(TenantID(rawValue: "t2")), roleLevel: 8).isPlatformUser)
    }

    @Test func `tells whose keys are missing`() throws {
        let verifier = try verifier()
        func owner(_ token: String) -> KeyOwner? { verifier.keyOwner(of: Array(token.utf8).span) }
        #expect(try owner(fixture.signed(by: fixture.rsa, payload(Self.firebase, "p1"))) == .issuer(Self.firebase))
        #expect(try owner(fixture.signed(by: fixture.rsa)) == .server)
        #expect(try owner(fixture.hs256()) == nil)
        for rubbish in ["", "a.b.c", "opaque-key"] { #expect(owner(rubbish) == nil) }
    }
}
