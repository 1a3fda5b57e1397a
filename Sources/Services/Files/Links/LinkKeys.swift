package import SwiftletAuth
import SwiftletBytes
import SwiftletJSON

/// Signs the tokens of links, and reads them.
///
/// Links have a key of their own, so that no token of one can be taken for a login; those that were signed with the
/// secret of the logins, as Supabase does it, are read too.
package struct LinkKeys: Sendable {
    private let issuer: TokenIssuer
    private let keys: [HMACKey]

    /// Signs with the first, and reads what any of them has signed.
    package init(secret: Secret, others: [Secret] = []) throws(KeyError) {
        issuer = try TokenIssuer(secret: Self.own(HMACKey(secret)))
        var keys: [HMACKey] = []
        for secret in [secret] + others {
            let shared = try HMACKey(secret)
            keys += [try HMACKey(Self.own(shared)), shared]
        }
        self.keys = keys
    }

    private static func own(_ shared: HMACKey) throws(KeyError) -> Secret {
        let derived = try shared.authenticate(Array("swiftlet storage-url".utf8))
        return Secret(derived.span)
    }

    func sign(_ claims: JSONObject) throws(KeyError) -> String {
        try issuer.issue(payload: Array(JSONValue.object(claims).description.utf8))
    }

    /// The claims of a token with a good signature that has not expired. Throws ``FilesError``.
    func read(_ token: String, now: Int) throws(FilesError) -> JSONObject {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, token.utf8.count <= TokenVerifier.maximumTokenBytes,
            let claims = Self.object(parts[1])
        else { throw .badToken("Invalid Compact JWS") }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        guard isSigned(signed, by: parts[2]) else { throw .badToken("signature verification failed") }
        guard let expires = claims["exp"]?.double, Double(now) < expires else {
            throw .badToken("\"exp\" claim timestamp check failed")
        }
        return claims
    }

    private static func object(_ text: String) -> JSONObject? {
        guard let bytes = Base64URL.decode(text) else { return nil }
        return try? JSONParser.parse(bytes).object
    }

    private func isSigned(_ message: [UInt8], by signature: String) -> Bool {
        for key in keys {
            guard let code = try? key.authenticate(message) else { continue }
            if MessageDigest.isEqual(Base64URL.encode(code.span), signature) { return true }
        }
        return false
    }
}

extension FilesError {
    fileprivate static func badToken(_ reason: String) -> FilesError {
        FilesError(400, "InvalidJWT", "InvalidJWT", reason)
    }

    static func badSignature(_ reason: String) -> FilesError {
        FilesError(400, "InvalidSignature", "InvalidSignature", reason)
    }
}
