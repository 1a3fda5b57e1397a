import SwiftletJSON

/// An active session, with its current refresh token.
struct OpenSession: Sendable {
    let id: String
    let account: Account
    let refreshToken: String
    /// The authenticator assurance level: `aal1`, or higher after a second factor.
    let assurance: String
    /// Newest first.
    let methods: [Method]
    /// Whether it was opened before, and goes on.
    var isRefreshed = false

    /// How this token was come by, for hooks.
    var method: String { isRefreshed ? "token_refresh" : methods.first?.name ?? "" }

    /// How and when the user was authenticated.
    struct Method: Hashable, Sendable {
        let name: String
        let seconds: Int
    }
}

/// A new row of `auth.sessions`, with its first refresh token.
struct NewSession: Sendable {
    let id = RandomID.make()
    let refreshToken = RefreshToken.make()
    let userID: String
    let method: AuthenticationMethod
    let client: ClientInfo
}
