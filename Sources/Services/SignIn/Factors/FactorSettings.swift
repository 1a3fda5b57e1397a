/// The settings of second factors.
package struct FactorSettings: Sendable {
    /// New authenticator apps may be enrolled (`MFA_TOTP_ENROLL_ENABLED`).
    package var canEnrollTOTP = true
    /// Codes of authenticator apps are accepted (`MFA_TOTP_VERIFY_ENABLED`).
    package var canVerifyTOTP = true
    /// New phone numbers may be enrolled (`MFA_PHONE_ENROLL_ENABLED`). Off, as texts cost money and are read by others.
    package var canEnrollPhone = false
    /// Codes sent to such numbers are accepted (`MFA_PHONE_VERIFY_ENABLED`).
    package var canVerifyPhone = false
    /// Accounts with a second factor can have recovery codes (`MFA_RECOVERY_CODES_ENROLL_ENABLED`).
    package var canEnrollRecoveryCodes = true
    /// Recovery codes are accepted (`MFA_RECOVERY_CODES_VERIFY_ENABLED`).
    package var canVerifyRecoveryCodes = true
    /// Recovery codes that are made at a time (`MFA_RECOVERY_CODES_COUNT`).
    package var recoveryCodes = 10
    /// Factors that one account may have, verified or not (`MFA_MAX_ENROLLED_FACTORS`).
    package var maximumEnrolled = 10
    /// Verified factors that one account may have (`MFA_MAX_VERIFIED_FACTORS`).
    package var maximumVerified = 10
    /// Seconds in which a challenge is to be answered (`MFA_CHALLENGE_EXPIRY_DURATION`).
    package var challengeSeconds = 300
    /// Seconds after which a factor that was never verified may be deleted (`MFA_FACTOR_EXPIRY_DURATION`).
    package var unverifiedSeconds = 300

    package init() {}
}
