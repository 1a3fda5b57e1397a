package import SwiftletWeb

/// The settings of sign-in, read from the environment by the program.
package struct SignInSettings: Sendable {
    /// Lifetime of an access token in seconds (`JWT_EXPIRY`).
    package var accessTokenSeconds = 3600
    /// The app's URL, where links in mails lead by default (`SITE_URL`).
    package var siteURL: String?
    /// Public URL of this server (`API_EXTERNAL_URL`); with `/auth/v1` appended, the `iss` of tokens.
    package var externalURL: String?
    /// Redirect targets besides ``siteURL`` (`URI_ALLOW_LIST`); `*` matches anything but `/` and `.`, `**` anything.
    package var redirectAllowList: [String] = []
    /// Only administrators can create accounts (`DISABLE_SIGNUP`).
    package var isSignUpDisabled = false
    /// Allows sign-ups without address and password (`ENABLE_ANONYMOUS_USERS`).
    package var allowsAnonymousUsers = false
    /// Accepts new addresses without a confirmation mail (`MAILER_AUTOCONFIRM`); nil means only if there is no mailer.
    package var confirmsAtOnce: Bool?
    /// Accepts new numbers of sign-ups without a text (`SMS_AUTOCONFIRM`).
    package var confirmsPhonesAtOnce = false
    /// A change of address needs the confirmation of the current address too (`MAILER_SECURE_EMAIL_CHANGE_ENABLED`).
    package var asksBothAddresses = true
    /// What owners are told by mail (`MAILER_NOTIFICATIONS_…_ENABLED`).
    package var notices = Set(Notice.Kind.allCases)
    /// A new password needs a code by mail, unless the session is younger than a day
    /// (`SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION`).
    package var requiresReauthentication = false
    /// A new password needs the current one (`SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD`).
    package var requiresCurrentPassword = false
    /// Minimum length of new passwords in bytes, up to bcrypt's 72 (`PASSWORD_MIN_LENGTH`).
    package var minimumPasswordBytes = 6
    /// Sets of characters; a new password has one of each at least (`PASSWORD_REQUIRED_CHARACTERS`).
    package var requiredPasswordCharacters: [String] = []
    package var factors = FactorSettings()
    package var passkeys = PasskeySettings()
    package var hookLimits = HookLimits()
    /// Writes what is done to accounts into `auth.audit_log_entries` (off by `AUDIT_LOG_DISABLE_POSTGRES`).
    package var writesAudit = true
    /// Days that entries of the audit log are kept (`AUDIT_LOG_RETENTION`); nil means forever.
    package var auditDays: Int?
    /// Users may link and unlink sign-in methods by themselves (`SECURITY_MANUAL_LINKING_ENABLED`).
    package var allowsManualLinking = false
    /// Cost factor of bcrypt, 4…15 (`BCRYPT_COST`).
    package var bcryptCost = 10
    /// Hashes that are computed at the same time: the number of cores.
    package var hashesAtOnce = 2
    /// Hashes that may be queued before further sign-ins get 503.
    package var waitingHashes = 256
    /// Seconds during which a used refresh token still returns the current one (`REFRESH_TOKEN_REUSE_INTERVAL`).
    package var reuseIntervalSeconds = 10
    /// Seconds after sign-in until a session expires (`SESSION_TIMEBOX`); nil means never.
    package var sessionSeconds: Int?
    /// Seconds without a refresh until a session expires (`SESSION_INACTIVITY_TIMEOUT`); nil means never.
    package var inactivitySeconds: Int?
    /// Only a user's newest session per tag can be refreshed (`SESSION_SINGLE_PER_USER`).
    package var allowsOneSession = false
    /// Ends a session when an old refresh token is used again (`REFRESH_TOKEN_ROTATION`).
    package var endsStolenSessions = true

    /// The proxies whose `X-Forwarded-For` counts (`TRUSTED_PROXIES`); nil means every private address.
    package var trustedProxies: TrustedProxies?
    /// Mails that may be asked for from one address within an hour (`RATE_LIMIT_EMAIL_SENT`).
    package var emailsPerHour = 30
    /// Texts that may be asked for from one address within an hour (`RATE_LIMIT_SMS_SENT`).
    package var textsPerHour = 30
    /// Seconds in which the code of a text is valid (`SMS_OTP_EXP`).
    package var textCodeSeconds = 60
    /// Codes of numbers that are sent no text (`SMS_TEST_OTP`, until `SMS_TEST_OTP_VALID_UNTIL`).
    package var fixedCodes = FixedCodes.none
    /// Requests for mails and texts are answered after a multiple of this time, so that it does not tell whether there
    /// was one to write.
    package var mailRequestPace = Duration.milliseconds(200)

    package init() {}

    /// The claim `iss`.
    package var issuer: String { (externalURL ?? "http://localhost:8000").withoutTrailingSlash + "/auth/v1" }
}

extension String {
    var withoutTrailingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
