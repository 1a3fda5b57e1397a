import SwiftletBytes
package import SwiftletAuth
package import SwiftletJSON

/// The key that signs access tokens: the server's secret, or a private key with a public counterpart.
package struct SigningKey: Sendable {
    package let issuer: TokenIssuer
    /// The key's public half, to verify our own tokens with; empty for a secret.
    package let keySet: KeySet
    /// Bytes that only our servers know, for deriving the codes in mails.
    package let secret: Secret

    package init(secret: Secret) throws(KeyError) {
        issuer = try TokenIssuer(secret: secret)
        keySet = KeySet()
        self.secret = secret
    }

    /// A private JSON Web Key (RFC 7517). Without a `kid`, its thumbprint (RFC 7638) is used.
    package init(jwk: JSONValue) throws(KeyError) {
        guard var key = jwk.object else { throw .malformed }
        if key["kid"]?.string == nil { key["kid"] = .string(try Self.thumbprint(key)) }
        let privateKey = try PrivateKey(jwk: .object(key))
        issuer = TokenIssuer(privateKey: privateKey)
        keySet = KeySet(privateKey.publicKey)
        guard let secret = key["d"]?.string else { throw .notPrivate }
        self.secret = Secret("swiftlet sign-in\n" + secret)
    }

    /// The name in the header of its tokens; nil for a secret.
    package var keyID: String? { keySet.keys.first?.keyID }

    private static func thumbprint(_ key: JSONObject) throws(KeyError) -> String {
        let names =
            switch key["kty"]?.string {
            case "RSA": ["e", "kty", "n"]
            case "EC": ["crv", "kty", "x", "y"]
            default: ["crv", "kty", "x"]
            }
        var needed: JSONObject = [:]
        for name in names { needed[name] = key[name] }
        let hash = try MessageDigest.sha256(Array(JSONValue.object(needed).description.utf8))
        return Base64URL.encode(hash.span)
    }
}
