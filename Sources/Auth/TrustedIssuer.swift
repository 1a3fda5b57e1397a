/// Somebody else whose tokens count here: Firebase, or any OpenID provider.
package struct TrustedIssuer: Hashable, Sendable {
    /// Seconds by which `exp` and `nbf` are stretched: their clock is not ours.
    package static let leeway = 30.0

    /// The value of `iss`, byte by byte.
    package let issuer: String
    /// A token must name one of these in `aud`.
    package let audiences: [String]
    /// Where the tenant is; nil: nowhere, our own tables say.
    package let tenant: ClaimPath?
    /// Where the role level (1…8) is. Without it a user has level 1, and never platform rights.
    package let roleLevel: ClaimPath?
    /// Where the code of the role is, as `app_metadata.role` has it in our own tokens.
    package let role: ClaimPath?

    package init(
        issuer: String,
        audiences: [String],
        tenant: ClaimPath? = nil,
        roleLevel: ClaimPath? = nil,
        role: ClaimPath? = nil
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.tenant = tenant
        self.roleLevel = roleLevel
        self.role = role
    }
}
