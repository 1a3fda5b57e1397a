import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// The account of the access token in a request.
struct Caller: Sendable {
    let account: Account
    /// The token's session; nil for tokens that were not issued by a sign-in.
    let sessionID: String?
    /// The session's assurance level, as the database has it now: `aal1`, or `aal2` after a second factor.
    var assurance = "aal1"
    /// How the session was opened: the names in its token's `amr`.
    var methods: [String] = []

    /// Whether a second factor has been used, or the account has none.
    var hasUsedFactors: Bool { assurance != "aal1" || !account.hasVerifiedFactor }

    /// Whether a code or link was the way in, as for who has forgotten the password.
    var hasProvedMailbox: Bool { methods.contains { ["otp", "magiclink", "recovery"].contains($0) } }
}

extension AuthAPI {
    /// Verifies the token and that its session still exists, so that a sign-out takes effect immediately. Throws
    /// ``SignInError`` 400, 401 or 403.
    func caller(_ request: Request, for use: TokenUse = .account) async throws -> Caller {
        let claims = try await verifiedUser(request, for: use)
        guard claims.isPerson else { throw SignInError.badToken("invalid claim: missing sub claim") }
        guard let id = RandomID.normalized(claims.id) else {
            throw SignInError(.badRequest, "bad_jwt", "invalid claim: sub claim must be a UUID")
        }
        let named = claims.claims["session_id"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let stated = named.flatMap(RandomID.normalized)
        if named != nil, stated == nil { throw SignInError.badToken("session_id claim must be a UUID") }
        let sessionID = stated == RandomID.zero ? nil : stated
        guard let found = try await accounts.find(id: id, session: sessionID) else {
            throw SignInError(.forbidden, "user_not_found", "User from sub claim in JWT does not exist")
        }
        guard found.hasSession else { throw SignInError.noSession }
        guard found.account.isActive else {
            throw SignInError(.forbidden, "user_banned", "User is banned")
        }
        let methods = claims.claims["amr"]?.array?.compactMap { $0["method"]?.string } ?? []
        return Caller(account: found.account, sessionID: sessionID, assurance: found.assurance, methods: methods)
    }

    /// Throws ``SignInError`` unless the token has the role `service_role` or `supabase_admin`.
    @discardableResult
    func requireAdministrator(_ request: Request) async throws -> Administrator {
        let user = try await verifiedUser(request, for: .access)
        guard user.isServiceRole || user.role == "supabase_admin" else {
            throw SignInError.notAdmin("User not allowed")
        }
        return Administrator(
            id: RandomID.normalized(user.id) ?? RandomID.zero,
            role: user.role,
            address: services.client(request).address
        )
    }

    private func verifiedUser(_ request: Request, for use: TokenUse) async throws(SignInError) -> User {
        switch await services.authentication.identify(request, for: use) {
        // Other issuers' users have no accounts here.
        case .success(let user) where user.isExternal:
            throw .badToken("invalid JWT: unable to parse or verify signature, \(TokenError.wrongIssuer)")
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
