internal import HTTP
internal import JSON
internal import Swiftlet

extension Services {
    /// The body that every way of signing in ends with, and the app's login as well.
    func answer(_ session: OpenSession) throws -> Response {
        let access = try accessTokens.issue(session)
        return Response.json { json in
            json.object { json in
                json.member("access_token", access.token)
                json.member("token_type", "bearer")
                json.member("expires_in", access.lifetimeSeconds)
                json.member("expires_at", access.expires)
                json.member("refresh_token", session.refreshToken)
                json.key("user")
                session.account.write(to: &json)
            }
        }
    }
}

extension Response {
    /// A bare user.
    static func user(_ account: Account) -> Response {
        .json { account.write(to: &$0) }
    }

    /// `{}`.
    static let emptyObject = Response.json(.ok, .object([:]))
}
