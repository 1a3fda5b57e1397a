/// One way to a provider and back.
struct ProviderAttempt: Sendable {
    /// Also the nonce of the ID token, as a hash.
    let state: String
    let redirectURI: String
    /// What only this server knows of the attempt (RFC 7636 §4.1).
    let verifier: String
}
