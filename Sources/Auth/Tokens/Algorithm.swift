/// The supported signature algorithms (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// A closed list on purpose: `none`, and anything else that a header may name, has no case and cannot be verified.
package enum Algorithm: String, Hashable, Sendable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case eddsa = "EdDSA"
}
