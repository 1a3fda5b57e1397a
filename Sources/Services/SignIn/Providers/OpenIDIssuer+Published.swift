/// Endpoints that have not moved for years, so that nobody waits for a document that says so.
extension OpenIDIssuer.Endpoints {
    /// https://accounts.google.com/.well-known/openid-configuration
    static let google = OpenIDIssuer.Endpoints(
        authorization: "https://accounts.google.com/o/oauth2/v2/auth",
        token: "https://oauth2.googleapis.com/token",
        userInfo: "https://openidconnect.googleapis.com/v1/userinfo",
        revocation: "https://oauth2.googleapis.com/revoke",
        takesSecretInForm: true,
        takesChallenge: true
    )

    /// https://appleid.apple.com/.well-known/openid-configuration
    static let apple = OpenIDIssuer.Endpoints(
        authorization: "https://appleid.apple.com/auth/authorize",
        token: "https://appleid.apple.com/auth/token",
        userInfo: nil,
        revocation: "https://appleid.apple.com/auth/revoke",
        takesSecretInForm: true,
        takesChallenge: false
    )

    /// Of a tenant of `https://login.microsoftonline.com`; other clouds have other addresses.
    static func azure(_ base: String) -> OpenIDIssuer.Endpoints? {
        guard base.hasPrefix("https://login.microsoftonline.com/") else { return nil }
        return OpenIDIssuer.Endpoints(
            authorization: "\(base)/oauth2/v2.0/authorize",
            token: "\(base)/oauth2/v2.0/token",
            userInfo: "https://graph.microsoft.com/oidc/userinfo",
            revocation: nil,
            takesSecretInForm: true,
            takesChallenge: false
        )
    }
}
