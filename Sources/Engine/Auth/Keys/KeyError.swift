/// Why a key, a key set or a secret cannot be used. Occurs at start-up and on key rotation; safe to print.
package enum KeyError: Error, Hashable, Sendable {
    /// An HS256 secret of fewer than ``HMACKey/minimumSecretBytes`` bytes (RFC 7518 §3.2).
    case secretTooShort(bytes: Int)
    /// Not JSON, or not a key or key set of RFC 7517.
    case malformed
    /// A key type, curve or algorithm that is not supported.
    case unsupported
    /// Its numbers are not a valid key: not on the curve, too short, or halves that do not belong together.
    case invalid
    /// Its own `use`, `key_ops` or `alg` excludes signatures.
    case notForSignatures
    /// A signature is needed, but only the public half is present.
    case notPrivate
    case tooLarge
    /// OpenSSL itself failed: out of memory, or the algorithm is disabled in its configuration.
    case unavailable
}

extension KeyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .secretTooShort(let bytes):
            "the secret has \(bytes) bytes, HS256 needs at least \(HMACKey.minimumSecretBytes)"
        case .malformed: "not a JSON Web Key or key set"
        case .unsupported: "key type, curve or algorithm is not supported (RSA, P-256, Ed25519; RS256, ES256, EdDSA)"
        case .invalid: "the key's numbers are not a valid key (RSA needs 2048 to 8192 bits)"
        case .notForSignatures: "the key's use, key_ops or alg forbid signatures"
        case .notPrivate: "the private half of the key is missing"
        case .tooLarge: "the key set is too large"
        case .unavailable: "OpenSSL cannot provide the algorithm"
        }
    }
}
