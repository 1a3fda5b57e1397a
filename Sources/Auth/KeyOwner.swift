/// Whose public keys are meant.
package enum KeyOwner: Hashable, Sendable {
    /// This server's own (`JWT_JWKS`).
    case server
    /// Those of a trusted issuer, by its `iss`.
    case issuer(String)
}
