import SwiftletAuth
import SwiftletBytes
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import SwiftletWeb
import Synchronization
import Testing

@testable import SwiftletSignIn

/// The client secret that is signed with Apple's `.p8` key.
struct AppleClientSecretTests {
    private static let now = 1_790_000_000

    private static func part(_ token: String, _ index: Int) throws -> JSONValue {
        let parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        return try JSONParser.parse(try #require(Base64URL.decode(parts[index])))
    }

    @Test func `is a token of the team for one client, valid for minutes, and made anew each time`() throws {
        let time = Mutex(Self.now)
        let clock = ServerClock(nanoseconds: { 0 }, milliseconds: { time.withLock { $0 } * 1000 })
        let key = try PrivateKey(pem: TestKeys.apple, keyID: "ABC123DEFG")
        let secret = ClientSecret.apple(AppleClientSecret(key: key, team: "DEF123GHIJ", clock: clock))
        let token = try secret.text(for: "com.example.service")
        let header = try Self.part(token, 0)
        #expect(header["alg"] == "ES256")
        #expect(header["kid"] == "ABC123DEFG")
        let claims = try Self.part(token, 1)
        #expect(claims["iss"] == "DEF123GHIJ")
        #expect(claims["sub"] == "com.example.service")
        #expect(claims["aud"] == "https://appleid.apple.com")
        let (begin, end) = (claims["iat"]?.int ?? 0, claims["exp"]?.int ?? 0)
        #expect(begin <= Self.now && end > Self.now)
        // Apple refuses more than six months.
        #expect(end - begin <= 15_777_000)
        time.withLock { $0 += 200 * 86_400 }
        let later = try Self.part(secret.text(for: "com.example.service"), 1)
        #expect(later["exp"]?.int ?? 0 > Self.now + 200 * 86_400)
    }

    @Test func `is signed so that the key's public half verifies it`() throws {
        let key = try PrivateKey(pem: TestKeys.apple, keyID: "ABC123DEFG")
        let token = try ClientSecret.apple(AppleClientSecret(key: key, team: "DEF123GHIJ")).text(for: "app")
        let verifier = try TokenVerifier(
            secret: nil,
            keys: KeySet(key.publicKey),
            clock: { Double(ServerClock.system.milliseconds()) / 1000 }
        )
        #expect(try verifier.verify(bearer: Array(token.utf8).span).id == "app")
    }
}
