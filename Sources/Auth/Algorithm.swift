/// The signature algorithms that count here (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// A closed list on purpose: `none` and whatever else a header may say have no case, so they cannot be verified.
package enum Algorithm: String, Hashable, Sendable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case eddsa = "EdDSA"
}
