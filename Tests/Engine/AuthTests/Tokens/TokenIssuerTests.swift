import SwiftletJSON
import Testing

@testable import SwiftletAuth

@Suite struct TokenIssuerTests {
    private let fixture: TokenFixture
    private let verifier: TokenVerifier

    init() throws {
        fixture = try TokenFixture()
        verifier = try fixture.verifier()
    }

    @Test func `issues what the verifier accepts, in every algorithm`() throws {
        let tenant = try #require(TenantID(rawValue: "t-1"))
        var claims = UserClaims(userID: "u-1", tenant: tenant)
        claims.email = "ada@example.com"
        claims.roleLevel = 4
        claims.teamID = "team"
        let issuers = [
            try TokenIssuer(secret: fixture.secret), TokenIssuer(privateKey: fixture.rsa),
            TokenIssuer(privateKey: fixture.p256), TokenIssuer(privateKey: fixture.ed25519),
        ]
        for issuer in issuers {
            let user = try verifier.verify(
                token: issuer.issue(payload: claims.payload(issuedAt: 900, expiresAt: 2000))
            )
            #expect(user.id == "u-1")
            #expect(user.tenant == tenant)
            #expect(user.email == "ada@example.com")
            #expect(user.roleLevel == 4)
            #expect(user.teamID == "team")
            #expect(!user.isPlatformUser)
            #expect(user.role == "authenticated")
            #expect(user.isPerson)
            #expect(user.expires == 2000)
            #expect(user.claims["aud"] == "authenticated")
            #expect(user.userMetadata == [:])
        }
    }

    @Test func `writes the header that the verifier knows by its bytes`() throws {
        let token = try TokenIssuer(secret: fixture.secret).issue(payload: Array("{}".utf8))
        #expect(token.hasPrefix("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."))
    }

    @Test func `writes both spellings with equal values`() throws {
        let tenant = try #require(TenantID(rawValue: "t-1"))
        var claims = UserClaims(userID: "u-1", tenant: tenant)
        claims.roleLevel = 8
        claims.teamID = "team"
        claims.isPlatformUser = true
        let metadata = try JSONParser.parse(claims.payload(issuedAt: 1, expiresAt: 2))["app_metadata"]
        for (snake, camel) in [
            ("tenant_id", "tenantId"), ("role_level", "roleLevel"), ("team_id", "teamId"),
            ("is_platform_user", "isPlatformUser"),
        ] {
            #expect(metadata?[snake] != nil)
            #expect(metadata?[snake] == metadata?[camel])
        }
    }

    @Test func `makes fresh keys that fit together`() throws {
        let keys = try ServerKeys.make(now: 1000)
        let others = try ServerKeys.make(now: 1000)
        #expect(keys.secret != others.secret)
        #expect(keys.anonymousKey != others.anonymousKey)
        #expect(keys.secret.utf8.count >= 64)
        #expect(
            keys.secret.utf8.allSatisfy {
                $0 == 0x2D || $0 == 0x5F || ($0 | 0x20) >= 0x61 || (0x30...0x39).contains($0)
            }
        )
        for (now, error) in [(1000.0, nil), (1000 + 315_360_000 - 1, nil), (1000 + 315_360_000, TokenError.expired)] {
            let verifier = try TokenVerifier(secret: Secret(keys.secret), clock: { now })
            if let error {
                #expect(throws: error) { try verifier.verify(token: keys.anonymousKey) }
            } else {
                let anonymous = try verifier.verify(token: keys.anonymousKey)
                #expect(anonymous.isAnonymousKey)
                #expect(anonymous.claims["iss"] == "supabase")
                #expect(anonymous.id.isEmpty)
                #expect(try verifier.verify(token: keys.serviceKey).isServiceRole)
                #expect(throws: TokenError.badSignature) { try verifier.verify(token: others.serviceKey) }
            }
        }
    }

    @Test(arguments: [0, 1, 31])
    func `refuses a short secret`(count: Int) {
        let secret = Secret(String(repeating: "s", count: count))
        #expect(throws: KeyError.secretTooShort(bytes: count)) { try TokenIssuer(secret: secret) }
        #expect(throws: KeyError.secretTooShort(bytes: count)) { try TokenVerifier(secret: secret, clock: { 0 }) }
    }

    @Test func `says what is wrong without saying the secret`() {
        #expect("\(KeyError.secretTooShort(bytes: 7))" == "the secret has 7 bytes, HS256 needs at least 32")
        #expect("\(TokenError.expired)" == "token is expired")
    }
}
