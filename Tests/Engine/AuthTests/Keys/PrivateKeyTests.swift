import SwiftletJSON
import Testing

@testable import SwiftletAuth

@Suite struct PrivateKeyTests {
    private func key(_ text: String) throws -> PrivateKey {
        try PrivateKey(jwk: JSONParser.parse(Array(text.utf8)))
    }

    @Test(arguments: [RFC.RS256.privateKey, RFC.ES256.privateKey, RFC.EdDSA.privateKey])
    func `signs what its public half verifies, and nothing else`(text: String) throws {
        let key = try key(text)
        for message in [[], [0], Array("a".utf8), [UInt8](repeating: 7, count: 5000)] as [[UInt8]] {
            var signature = try key.sign(message.span)
            #expect(key.publicKey.isValid(signature, for: message))
            #expect(!key.publicKey.isValid(signature, for: message + [1]))
            #expect(!key.publicKey.isValid(signature + [0], for: message))
            #expect(!key.publicKey.isValid([0] + signature, for: message))
            #expect(!key.publicKey.isValid(signature.dropLast(), for: message))
            #expect(!key.publicKey.isValid([], for: message))
            #expect(!key.publicKey.isValid([UInt8](repeating: 0, count: signature.count), for: message))
            #expect(!key.publicKey.isValid([UInt8](repeating: 255, count: signature.count), for: message))
            signature[signature.count / 2] ^= 1
            #expect(!key.publicKey.isValid(signature, for: message))
        }
    }

    @Test func `signs with an RSA key that has no factors`() throws {
        let key = try key(
            #"{"kty":"RSA","n":"\#(RFC.RS256.modulus)","e":"AQAB","d":"\#(RFC.RS256.privateExponent)"}"#
        )
        let message = Array("x".utf8)
        #expect(key.publicKey.isValid(try key.sign(message.span), for: message))
    }

    @Test func `writes ECDSA numbers in their full length`() throws {
        // One signature in 128 has a number that begins with a zero byte.
        let key = try key(RFC.ES256.privateKey)
        let message = Array("x".utf8)
        for _ in 0..<400 {
            let signature = try key.sign(message.span)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValid(signature, for: message))
        }
    }

    @Test(arguments: [
        (RFC.RS256.publicKey, KeyError.notPrivate),
        (RFC.ES256.publicKey, .notPrivate),
        (RFC.EdDSA.publicKey, .notPrivate),
        (#"{"kty":"EC","crv":"P-256","x":"\#(RFC.ES256.x)","y":"\#(RFC.ES256.y)","d":"AAAA"}"#, .invalid),
        (RFC.ES256.privateKey.replacing("jpsQnnGQ", with: "jpsQnnGR"), .invalid),
        (RFC.EdDSA.privateKey.replacing("nWGxne", with: "nWGxnf"), .invalid),
        (
            RFC.RS256.privateKey.replacing("Eq5xpG", with: "Eq5xpH").replacing(RFC.RS256.factors, with: #""x":1"#),
            .invalid
        ),
    ])
    func `refuses halves that do not belong together`(text: String, error: KeyError) {
        #expect(throws: error) { try key(text) }
    }
}
