/// Why a bearer token is refused. Reveals nothing of the token's content; safe for clients and logs.
public enum TokenError: Error, Hashable, Sendable {
    /// No `Authorization: Bearer` field, or an empty one.
    case missing
    /// Longer than ``TokenVerifier/maximumTokenBytes``.
    case tooLarge
    /// Not three parts of canonical Base64URL that encode JSON objects (RFC 7519 §7.2).
    case malformed
    /// `none`, an unsupported algorithm, or a header that requires an extension (`crit`, `b64`).
    case unsupportedAlgorithm
    /// No known key matches the header's `alg` and `kid`.
    case unknownKey
    case badSignature
    /// A claim has a wrong type, or `exp` is missing.
    case invalidClaims
    /// A refresh token, or that of a signed URL, in place of an access token.
    case notAccessToken
    case wrongIssuer
    case wrongAudience
    case notYetValid
    case expired
    /// Its session was signed out, or its account was banned or deleted.
    case ended
}

extension TokenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing: "no bearer token"
        case .tooLarge: "token is too large"
        case .malformed: "token is malformed"
        case .unsupportedAlgorithm: "token algorithm is not supported"
        case .unknownKey: "token key is not known"
        case .badSignature: "token signature does not match"
        case .invalidClaims: "token claims are incomplete or of a wrong type"
        case .notAccessToken: "not an access token"
        case .wrongIssuer: "token issuer is not trusted"
        case .wrongAudience: "token is for another audience"
        case .notYetValid: "token is not valid yet"
        case .expired: "token is expired"
        case .ended: "session has ended"
        }
    }
}
