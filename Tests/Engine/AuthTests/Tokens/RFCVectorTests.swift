import SwiftletBytes
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletAuth

@Suite struct RFCVectorTests {
    private let secret: Secret

    init() throws {
        secret = Secret(bytes: try #require(Base64URL.decode(RFC.HS256.key)))
    }

    @Test(arguments: [RFC.HS256.token, RFC.RS256.token, RFC.ES256.token])
    func `verifies the tokens of RFC 7515 A 1 to A 3 until they expire`(token: String) throws {
        let keys = [RFC.RS256.publicKey, RFC.ES256.publicKey]
        for (now, error) in [(RFC.expires - 0.001, nil), (RFC.expires, TokenError.expired)] {
            let verifier = try TokenVerifier.make(secret: secret, keys: keys[0], keys[1], now: now)
            if let error {
                #expect(throws: error) { try verifier.verify(token: token) }
            } else {
                let user = try verifier.verify(token: token)
                #expect(user.claims["iss"] == "joe")
                #expect(user.claims["http://example.com/is_root"] == true)
                #expect(!user.isPerson)
            }
        }
    }

    @Test func `refuses ES512 of RFC 7515 A 4 and the unsecured token of RFC 7519 section 6 1`() throws {
        let verifier = try TokenVerifier.make(secret: secret, keys: RFC.ES512.publicKey, RFC.ES256.publicKey)
        #expect(throws: TokenError.unsupportedAlgorithm) { try verifier.verify(token: RFC.ES512.token) }
        #expect(throws: TokenError.malformed) { try verifier.verify(token: RFC.unsecuredToken) }
        #expect(throws: TokenError.unsupportedAlgorithm) { try verifier.verify(token: RFC.unsecuredToken + "AA") }
    }

    @Test func `verifies and makes the signature of RFC 8037 A 4`() throws {
        let key = try PrivateKey(jwk: JSONParser.parse(Array(RFC.EdDSA.privateKey.utf8)))
        let message = Array(RFC.EdDSA.signed.utf8)
        let signature = try key.sign(message.span)
        #expect(Base64URL.encode(bytes: signature) == RFC.EdDSA.signature)
        let publicKey = try PublicKey(jwk: JSONParser.parse(Array(RFC.EdDSA.publicKey.utf8)))
        let isValid = publicKey.isValid(signature.span, for: message.span)
        #expect(isValid)
        // Signed well, but no claim set.
        let verifier = try TokenVerifier.make(keys: RFC.EdDSA.publicKey)
        let token = RFC.EdDSA.signed + "." + RFC.EdDSA.signature
        #expect(throws: TokenError.malformed) { try verifier.verify(token: token) }
    }
}
