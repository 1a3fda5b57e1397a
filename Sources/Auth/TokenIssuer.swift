internal import JSON

/// Signs claims with the server's secret, or with a private key.
package struct TokenIssuer: Sendable {
    private let key: Key

    private enum Key: Sendable {
        case secret(HMACKey)
        case privateKey(PrivateKey)
    }

    /// Issues HS256 tokens.
    package init(secret: Secret) throws(KeyError) {
        key = .secret(try HMACKey(secret))
    }

    /// Issues RS256, ES256 or EdDSA tokens, as the key says, with its `kid` in the header.
    package init(privateKey: PrivateKey) {
        key = .privateKey(privateKey)
    }

    /// Makes the compact form (RFC 7515 §7.1) of a claim set, which is taken as it is.
    package func issue(payload: [UInt8]) throws(KeyError) -> String {
        var token: [UInt8] = []
        token.reserveCapacity(payload.count * 4 / 3 + 480)
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
        case .secret(let key):
            guard let code = key.code(for: message.span) else { throw .unavailable }
            return code.indices.map { code[$0] }
        case .privateKey(let key):
            return try key.sign(message.span)
        }
    }
}
