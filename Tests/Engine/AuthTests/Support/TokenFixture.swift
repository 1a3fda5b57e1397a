import SwiftletBytes
import SwiftletTesting
import SwiftletJSON

@testable import SwiftletAuth

/// Keys of all kinds, and tokens made of any header and payload.
struct TokenFixture {
    static let secretText = "an HS256 secret of more than thirty-two bytes"
    /// A payload that counts until the second 2000.
    static let goodPayload = #"{"sub":"u1","exp":2000,"app_metadata":{"tenant_id":"t1","role_level":3}}"#

    let secret = Secret(secretText)
    let hmac: HMACKey
    let rsa: PrivateKey
    let p256: PrivateKey
    let ed25519: PrivateKey

    init() throws {
        hmac = try HMACKey(secret)
        rsa = try Self.privateKey(RFC.RS256.privateKey, keyID: "rsa-1")
        p256 = try Self.privateKey(RFC.ES256.privateKey, keyID: "ec-1")
        ed25519 = try Self.privateKey(RFC.EdDSA.privateKey, keyID: "ed-1")
    }

    /// The three public keys, named `rsa-1`, `ec-1` and `ed-1`.
    static let jwks = [
        RFC.RS256.publicKey.named("rsa-1"), RFC.ES256.publicKey.named("ec-1"), RFC.EdDSA.publicKey.named("ed-1"),
    ]

    static func privateKey(_ text: String, keyID: String) throws -> PrivateKey {
        try PrivateKey(jwk: JSONParser.parse(Array(text.named(keyID).utf8)))
    }

    /// Knows the secret and the three public keys; its clock stands at 1000.
    func verifier(now: Double = 1000) throws -> TokenVerifier {
        let keys = try KeySet(jwks: Array(#"{"keys":[\#(Self.jwks.joined(separator: ","))]}"#.utf8))
        return try TokenVerifier(secret: secret, keys: keys, clock: { now })
    }

    /// Signed with the secret, whatever the header says.
    func hs256(_ payload: String = goodPayload, header: String = #"{"alg":"HS256","typ":"JWT"}"#) throws -> String {
        try token(header, payload) { message in
            guard let code = hmac.code(for: message.span) else { throw KeyError.unavailable }
            return code.indices.map { code[$0] }
        }
    }

    /// Signed with the private key, whatever the header says.
    func signed(
        by key: PrivateKey,
        _ payload: String = goodPayload,
        header: String? = nil
    ) throws -> String {
        let usual = #"{"alg":"\#(key.publicKey.algorithm.rawValue)","kid":"\#(key.publicKey.keyID ?? "")"}"#
        return try token(header ?? usual, payload) { try key.sign($0.span) }
    }

    func token(_ header: String, _ payload: String, _ sign: ([UInt8]) throws -> [UInt8]) rethrows -> String {
        let signed = Base64URL.encode(bytes: Array(header.utf8)) + "." + Base64URL.encode(bytes: Array(payload.utf8))
        return signed + "." + Base64URL.encode(bytes: try sign(Array(signed.utf8)))
    }

    /// One good token of each algorithm.
    func goodTokens() throws -> [String] {
        [try hs256(), try signed(by: rsa), try signed(by: p256), try signed(by: ed25519)]
    }
}

extension String {
    /// A JWK's text with a `kid`.
    func named(_ keyID: String) -> String { #"{"kid":"\#(keyID)","# + dropFirst() }
}
