import SwiftletJSON

/// A user's identity, as verified by an identity provider.
struct VerifiedIdentity: Sendable {
    /// The key of `auth.identities`, together with ``subject``.
    let provider: String
    let subject: String
    /// In lower case; nil if the token has none.
    let email: String?
    /// Whether the provider has verified the address; only then can it be linked to an existing account.
    let isEmailVerified: Bool
    /// The user's other addresses that the provider has verified, in lower case.
    var otherVerifiedEmails: [String] = []
    /// For `identity_data`: standard claims, and the provider's own under `custom_claims`.
    let identityData: JSONObject
    /// Whether an account may be made without an address.
    var isEmailOptional = false
}
