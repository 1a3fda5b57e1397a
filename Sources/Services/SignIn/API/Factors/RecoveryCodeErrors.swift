import SwiftletHTTP

extension SignInError {
    static let noRecoveryCodes = SignInError(
        .notFound,
        "mfa_factor_not_found",
        "The user has not enrolled recovery codes"
    )
    static let noRecoveryCodeEnrollment = SignInError(
        .unprocessableContent,
        "mfa_recovery_codes_enroll_not_enabled",
        "MFA enroll is disabled for recovery codes"
    )
    static let noRecoveryCodeVerification = SignInError(
        .unprocessableContent,
        "mfa_recovery_codes_verify_not_enabled",
        "MFA verification is disabled for recovery codes"
    )
    static let hasRecoveryCodes = SignInError(
        .unprocessableContent,
        "mfa_verified_factor_exists",
        "Recovery codes are already enrolled for this user, use regenerate to rotate them"
    )
    static let wrongRecoveryCode = SignInError(
        .unprocessableContent,
        "mfa_verification_failed",
        "Invalid recovery code entered"
    )

    static func onlyRecoveryCodes(_ purpose: String) -> SignInError {
        SignInError(
            .unprocessableContent,
            "mfa_recovery_codes_sole_factor",
            "At least one other verified factor is required to \(purpose)"
        )
    }

    static func lockedRecoveryCodes(_ cause: SignInError) -> SignInError {
        SignInError(
            .tooManyRequests,
            "mfa_recovery_codes_locked",
            "Too many failed verification attempts, try again later",
            retryAfterSeconds: cause.retryAfterSeconds
        )
    }
}
