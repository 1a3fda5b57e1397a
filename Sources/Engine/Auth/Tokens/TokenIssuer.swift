import SwiftletBytes
import SwiftletJSON

/// Issues tokens signed with the server's secret or with a private key.
package struct TokenIssuer: Sendable {
    /// Enough for a header with a `kid` and an RSA signature of 2048 bits.
    private static let usualHeaderAndSignatureBytes = 480

    private let key: Key

    private enum Key: Sendable {
        case secret(HMACKey)
        case privateKey(PrivateKey)
    }

    /// Issues HS256 tokens.
    package init(secret: Secret) throws(KeyError) {
        key = .secret(try HMACKey(secret))
    }

    /// Issues RS256, ES256 or EdDSA tokens, depending on the key, with its `kid` in the header.
    package init(privateKey: PrivateKey) {
        key = .privateKey(privateKey)
    }

    /// Signs a claim set, which is not checked, and returns the compact serialization (RFC 7515 §7.1).
    package func issue(payload: [UInt8]) throws(KeyError) -> String {
        var token: [UInt8] = []
        token.reserveCapacity(payload.count * 4 / 3 + Self.usualHeaderAndSignatureBytes)
        let header = header
        Base64URL.append(header.span, to: &token)
        token.append(UInt8(ascii: "."))
        Base64URL.append(payload.span, to: &token)
        let signature = try signature(of: token)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    private var header: [UInt8] {
        var writer = JSONWriter(minimumCapacity: 64)
        writer.beginObject()
        switch key {
        case .secret:
            writer.member("alg", Algorithm.hs256.rawValue)
        case .privateKey(let key):
            writer.member("alg", key.publicKey.algorithm.rawValue)
            if let keyID = key.publicKey.keyID { writer.member("kid", keyID) }
        }
        writer.member("typ", "JWT")
        writer.endObject()
        return writer.finish()
    }

    private func signature(of message: [UInt8]) throws(KeyError) -> [UInt8] {
        switch key {
        case .secret(let key): try key.authenticate(message)
        case .privateKey(let key): try key.sign(message.span)
        }
    }
}
