/// A new row of `auth.sessions`, with its first refresh token.
struct NewSession: Sendable {
    let id = RandomID.make()
    let refreshToken = RefreshToken.make()
    let userID: String
    let method: AuthenticationMethod
    let client: ClientInfo
}
