package import JSON

/// Who somebody is by the word of a provider.
package struct VerifiedIdentity: Sendable {
    /// As in `auth.identities`: together they name one identity.
    package let provider: String
    package let subject: String
    package let issuer: String
    /// Lower-cased; nil when the token has none.
    package let email: String?
    /// Whether the provider vouches for the address: only then may it find an existing account.
    package let isEmailVerified: Bool
    /// For `identity_data`: the usual claims under their usual names, the provider's own under `custom_claims`.
    package let identityData: JSONObject
}
