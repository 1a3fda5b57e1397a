/// Why a key, a key set or a secret is not used. Met at start-up and on key rotation; safe to print.
package enum KeyError: Error, Hashable, Sendable {
    /// An HS256 secret of fewer than ``HMACKey/minimumSecretBytes`` bytes (RFC 7518 §3.2).
    case secretTooShort(bytes: Int)
    /// Not JSON, or not of the form that RFC 7517 asks for.
    case malformed
    /// A key type, curve or algorithm that this server does not know.
    case unsupported
    /// The numbers in it are not a key: not on the curve, too short, the halves do not belong together.
    case invalid
    /// It may not be used for signatures by its own `use`, `key_ops` or `alg`.
    case notForSignatures
    /// Only the public half is there, but something has to be signed.
    case notPrivate
    case tooLarge
    /// OpenSSL itself failed: no memory, or the algorithm is switched off in its configuration.
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
