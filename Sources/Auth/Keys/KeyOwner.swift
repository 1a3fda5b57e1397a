/// Whose public keys a token needs.
package enum KeyOwner: Hashable, Sendable {
    /// The server's own (`JWT_JWKS`).
    case server
    /// A trusted issuer's, by its `iss`.
    case issuer(String)
}
