import Auth
import HTTP
import JSON
import Web

/// The account of the access token in a request.
struct Caller: Sendable {
    let account: Account
    /// The token's session; nil for tokens that were not issued by a sign-in.
    let sessionID: String?
}

extension AuthAPI {
    /// Verifies the token and that its session still exists, so that a sign-out takes effect immediately. Throws
    /// ``SignInError`` 401 or 403.
    func caller(_ request: Request) async throws -> Caller {
        let claims = try verifiedUser(request)
        guard claims.isPerson else { throw SignInError.badToken("invalid claim: missing sub claim") }
        guard let id = RandomID.normalised(claims.id) else {
            throw SignInError.badToken("invalid claim: sub claim must be a UUID")
        }
        let named = claims.claims["session_id"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let sessionID = named.flatMap(RandomID.normalised)
        if named != nil, sessionID == nil { throw SignInError.badToken("session_id claim must be a UUID") }
        guard let (account, hasSession) = try await accounts.find(id: id, session: sessionID) else {
            throw SignInError(.forbidden, "user_not_found", "User from sub claim in JWT does not exist")
        }
        guard hasSession else { throw SignInError.noSession }
        guard account.isActive else {
            throw SignInError(.forbidden, "user_banned", "User is banned")
        }
        return Caller(account: account, sessionID: sessionID)
    }

    /// Throws ``SignInError`` unless the token has the role `service_role` or `supabase_admin`.
    func requireAdministrator(_ request: Request) throws {
        let user = try verifiedUser(request)
        guard user.isServiceRole || user.role == "supabase_admin" else {
            throw SignInError.notAdmin("User not allowed")
        }
    }

    private func verifiedUser(_ request: Request) throws(SignInError) -> User {
        switch Authentication(verifier: services.verifier).verifyToken(of: request) {
        case .success(let user):
            request.state?.logCaller(user.id, tenant: user.tenant?.rawValue)
            return user
        case .failure(.missing):
            throw SignInError(.unauthorized, "no_authorization", "This endpoint requires a valid Bearer token")
        case .failure(let error):
            throw .badToken("invalid JWT: unable to parse or verify signature, \(error)")
        }
    }
}
