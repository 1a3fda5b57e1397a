/// Another issuer whose tokens are accepted: Firebase, or any OpenID provider.
package struct TrustedIssuer: Hashable, Sendable {
    /// Seconds by which `exp` and `nbf` are extended, to allow for clock skew.
    package static let leeway = 30.0

    /// The exact value of `iss`.
    package let issuer: String
    /// A token must name one of these in `aud`.
    package let audiences: [String]
    /// The path of the tenant; nil when the server's own tables determine it.
    package let tenant: ClaimPath?
    /// The path of the role level. Without it a user has level 1; level 8, which is for platform administrators, counts
    /// as 7.
    package let roleLevel: ClaimPath?
    /// The path of the role code, which is `app_metadata.role` in the server's
    /// own tokens. `PLATFORM_ADMIN` is left out.
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
