import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// Second factors, of the caller's account and for administrators. The handlers are in the other files of this
    /// folder.
    @FunctionBuilder var factorRoutes: [FunctionPart] {
        Post("/v1/factors", serve(Self.enrollFactor))
        recoveryCodeRoutes
        Post("/v1/factors/:id/challenge", serve(Self.challengeFactor))
        Post("/v1/factors/:id/verify", serve(Self.verifyFactor))
        Delete("/v1/factors/:id", serve(Self.unenrollFactor))
        Get("/v1/admin/users/:id/factors", serve(Self.adminListFactors))
        Put("/v1/admin/users/:id/factors/:factor", serve(Self.adminUpdateFactor))
        Delete("/v1/admin/users/:id/factors/:factor", serve(Self.adminDeleteFactor))
    }

    /// The caller, who may have factors. Throws ``SignInError`` 403 for anonymous accounts.
    func factorOwner(_ request: Request) async throws -> (caller: Caller, sessionID: String) {
        let caller = try await caller(request)
        guard !caller.account.isAnonymous else {
            throw SignInError(
                .forbidden,
                "no_authorization",
                "Anonymous user not allowed to perform these actions"
            )
        }
        guard let sessionID = caller.sessionID else { throw SignInError.noSession }
        return (caller, sessionID)
    }

    /// The account's factor with the id in the path. Throws ``SignInError`` 404.
    func factor(_ context: Context, _ name: String = "id", of account: Account) throws(SignInError) -> Factor {
        guard let id = RandomID.normalized(context.parameters[name]) else {
            throw SignInError(.notFound, "validation_failed", "factor_id must be an UUID")
        }
        guard let factor = account.factors.first(where: { $0.id == id }) else {
            throw SignInError(.notFound, "mfa_factor_not_found", "Factor not found")
        }
        return factor
    }

    /// Throws ``SignInError`` 403 for a factor that was begun before the account had a second factor, and is finished by
    /// somebody who has not shown it.
    func admit(_ factor: Factor, _ caller: Caller) throws(SignInError) {
        guard factor.isVerified || caller.assurance != "aal1" || !caller.account.factors.contains(where: \.isVerified)
        else { throw .newFactorNeedsAAL2 }
    }
}

extension SignInError {
    static let newFactorNeedsAAL2 = SignInError(
        .forbidden,
        "insufficient_aal",
        "AAL2 required to enroll a new factor"
    )
    static let noTOTPEnrollment = SignInError(
        .unprocessableContent,
        "mfa_totp_enroll_not_enabled",
        "MFA enroll is disabled for TOTP"
    )
    static let noTOTPVerification = SignInError(
        .unprocessableContent,
        "mfa_totp_verify_not_enabled",
        "MFA verification is disabled for TOTP"
    )
    static func factorExists(_ name: String) -> SignInError {
        SignInError(
            .unprocessableContent,
            "mfa_factor_name_conflict",
            "A factor with the friendly name \"\(name)\" for this user already exists"
        )
    }

    static let wrongFactorCode = SignInError(
        .unprocessableContent,
        "mfa_verification_failed",
        "Invalid TOTP code entered"
    )
}
