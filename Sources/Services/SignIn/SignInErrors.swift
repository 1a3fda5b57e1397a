import SwiftletHTTP

/// The errors that have a name because more than one place throws or recognizes them.
extension SignInError {
    // MARK: The request

    static func invalid(_ message: String) -> SignInError { SignInError(.badRequest, "validation_failed", message) }

    static func badJSON(_ reason: String) -> SignInError {
        SignInError(.badRequest, "bad_json", "Could not parse request body as JSON: \(reason)")
    }

    static let bodyTooLarge = SignInError(.contentTooLarge, "request_entity_too_large", "Request body too large")

    // MARK: The caller

    static func badToken(_ reason: String) -> SignInError { SignInError(.forbidden, "bad_jwt", reason) }

    static func notAdmin(_ message: String) -> SignInError { SignInError(.forbidden, "not_admin", message) }

    static let noSession = SignInError(
        .forbidden,
        "session_not_found",
        "Session from session_id claim in JWT does not exist"
    )

    // MARK: Accounts

    static let userNotFound = SignInError(.notFound, "user_not_found", "User not found")
    static let banned = SignInError(.badRequest, "user_banned", "User is banned")
    static let wrongCredentials = SignInError(.badRequest, "invalid_credentials", "Invalid login credentials")
    static let userExists = SignInError(.unprocessableContent, "user_already_exists", "User already registered")
    static let phoneExists = SignInError(
        .unprocessableContent,
        "phone_exists",
        "A user with this phone number has already been registered"
    )
    static let emailExists = SignInError(
        .unprocessableContent,
        "email_exists",
        "A user with this email address has already been registered"
    )

    // MARK: Tokens

    static let unknownToken = SignInError(
        .badRequest,
        "refresh_token_not_found",
        "Invalid Refresh Token: Refresh Token Not Found"
    )
    static let usedToken = SignInError(
        .badRequest,
        "refresh_token_already_used",
        "Invalid Refresh Token: Already Used"
    )
    static let expiredLink = SignInError(.forbidden, "otp_expired", "Email link is invalid or has expired")
    static let expiredCode = SignInError(.forbidden, "otp_expired", "Token has expired or is invalid")

    // MARK: What this server does not do

    static let signUpDisabled = SignInError(
        .unprocessableContent,
        "signup_disabled",
        "Signups not allowed for this instance"
    )
    static let noMailer = SignInError(.unprocessableContent, "email_provider_disabled", "This server sends no mail")

    /// `purpose` is `logins`, `signups` or `changes`.
    static func noPhone(_ purpose: String) -> SignInError {
        SignInError(.badRequest, "phone_provider_disabled", "Phone \(purpose) are disabled")
    }

    // MARK: Later

    static func tooManyRequests(retryAfterSeconds: Int) -> SignInError {
        SignInError(
            .tooManyRequests,
            "over_request_rate_limit",
            "Request rate limit reached",
            retryAfterSeconds: retryAfterSeconds
        )
    }

    static func tooManyMails(retryAfterSeconds: Int) -> SignInError {
        SignInError(
            .tooManyRequests,
            .tooManyMails,
            "For security purposes, you can only request this after \(retryAfterSeconds) seconds.",
            retryAfterSeconds: retryAfterSeconds
        )
    }

    static func tooManyTexts(retryAfterSeconds: Int) -> SignInError {
        SignInError(
            .tooManyRequests,
            "over_sms_send_rate_limit",
            "For security purposes, you can only request this after \(retryAfterSeconds) seconds.",
            retryAfterSeconds: retryAfterSeconds
        )
    }

    static func unavailable(_ message: String, retryAfterSeconds: Int = 1) -> SignInError {
        SignInError(.serviceUnavailable, "unexpected_failure", message, retryAfterSeconds: retryAfterSeconds)
    }
}

extension SignInError.Code {
    static let hookTimeout: SignInError.Code = "hook_timeout"
    static let hookTimeoutAfterRetry: SignInError.Code = "hook_timeout_after_retry"
    static let tooManyMails: SignInError.Code = "over_email_send_rate_limit"
}
