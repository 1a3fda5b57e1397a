import HTTP
import JSON
import Web

extension Services {
    /// The response to every successful sign-in: access token, refresh token and user.
    func answer(_ session: OpenSession, to request: Request) throws -> Response {
        request.noteCaller(session.account)
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

extension Request {
    /// Names the account and its tenant in the request's log line.
    func noteCaller(_ account: Account) {
        state?.logCaller(account.id, tenant: account.appMetadata["tenant_id"]?.string)
    }
}

extension Response {
    /// The user as a bare object.
    static func user(_ account: Account) -> Response {
        .json { account.write(to: &$0) }
    }

    /// `{}`.
    static let emptyObject = Response.json(.ok, .object([:]))
}
