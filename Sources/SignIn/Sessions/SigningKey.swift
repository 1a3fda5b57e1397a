import Bytes
package import Auth
package import JSON

/// The key that signs access tokens: the server's secret, or a private key with a public counterpart.
package struct SigningKey: Sendable {
    package let issuer: TokenIssuer
    /// The content of `/.well-known/jwks.json`: public keys only, none for a secret.
    package let publicKeys: JSONValue
    /// Bytes that only our servers know, for deriving the codes in mails.
    package let secret: Secret

    package init(secret: Secret) throws(KeyError) {
        issuer = try TokenIssuer(secret: secret)
        publicKeys = ["keys": []]
        self.secret = secret
    }

    /// A private JSON Web Key (RFC 7517). Without a `kid`, its thumbprint (RFC 7638) is used.
    package init(jwk: JSONValue) throws(KeyError) {
        guard var key = jwk.object else { throw .malformed }
        if key["kid"]?.string == nil { key["kid"] = .string(try Self.thumbprint(key)) }
        let privateKey = try PrivateKey(jwk: .object(key))
        issuer = TokenIssuer(privateKey: privateKey)
        var open: JSONObject = [:]
        for name in ["kty", "kid", "crv", "x", "y", "n", "e"] { open[name] = key[name] }
        open["alg"] = .string(privateKey.publicKey.algorithm.rawValue)
        open["use"] = "sig"
        open["key_ops"] = ["verify"]
        publicKeys = ["keys": [.object(open)]]
        guard let secret = key["d"]?.string else { throw .notPrivate }
        self.secret = Secret("swiftlet sign-in\n" + secret)
    }

    /// The public key as a set, to verify our own tokens with; empty for a secret.
    package func keySet() throws(KeyError) -> KeySet {
        guard publicKeys["keys"]?[0] != nil else { return KeySet() }
        return try KeySet(jwks: Array(publicKeys.description.utf8))
    }

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
