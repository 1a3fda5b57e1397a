import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /factors/:id/challenge`: what a code, or an authenticator, is verified against, within a few minutes and from the same network.
    func challengeFactor(_ request: Request, _ context: Context) async throws -> Response {
        let (caller, sessionID) = try await factorOwner(request)
        let factor = try factor(context, of: caller.account)
        try admit(factor, caller)
        if factor.type == "webauthn" {
            return try await challengeAuthenticator(factor, caller, sessionID, services.client(request))
        }
        if factor.type == "phone" { return try await challengePhone(factor, caller, request) }
        guard factor.type == "totp", settings.factors.canVerifyTOTP else { throw SignInError.noTOTPVerification }
        let id = RandomID.make()
        let lifetime = settings.factors.challengeSeconds
        do {
            try await accounts.run { tables in
                FactorStatements(tables: tables).insertion(
                    ofChallenge: id,
                    to: factor,
                    from: services.client(request).address,
                    lifetimeSeconds: lifetime
                )
            }
        } catch let error as PostgresError where error.state == .foreignKeyViolation {
            throw SignInError(.notFound, "mfa_factor_not_found", "Factor not found")
        }
        return challenged(factor, id)
    }

    func challenged(_ factor: Factor, _ id: String) -> Response {
        let expires = services.accessTokens.clock.milliseconds() / 1000 + settings.factors.challengeSeconds
        return .json(
            .ok,
            ["id": .string(id), "type": .string(factor.type), "expires_at": .number(JSONNumber(expires))]
        )
    }
}
