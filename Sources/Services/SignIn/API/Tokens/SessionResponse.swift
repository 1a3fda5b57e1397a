import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

extension Services {
    /// The session's access token, with the claims that the operator's hook makes of ours.
    func issue(_ session: OpenSession) async throws -> AccessTokens.Issued {
        guard hooks.has(.customAccessToken) else { return try accessTokens.issue(session) }
        let claims = try JSONParser.parse(accessTokens.payload(session)).object ?? [:]
        let changed = try await hooks.claims(claims, of: session.account.id, by: session.method)
        return try accessTokens.issue(changed)
    }

    /// The response to every successful sign-in: access token, refresh token and user, after a sign-in at a provider its
    /// tokens too.
    func answer(_ session: OpenSession, _ tokens: ProviderTokens? = nil, to request: Request) async throws -> Response {
        request.noteCaller(session.account)
        let access = try await issue(session)
        return Response.json { json in
            json.object { json in
                json.member("access_token", access.token)
                json.member("token_type", "bearer")
                json.member("expires_in", access.lifetimeSeconds)
                json.member("expires_at", access.expires)
                json.member("refresh_token", session.refreshToken)
                json.key("user")
                session.account.write(to: &json)
                if let tokens {
                    json.member("provider_token", tokens.access)
                    if let refresh = tokens.refresh, !refresh.isEmpty { json.member("provider_refresh_token", refresh) }
                }
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
