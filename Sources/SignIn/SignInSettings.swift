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
    /// Minimum length of new passwords in bytes, up to bcrypt's 72 (`PASSWORD_MIN_LENGTH`).
    package var minimumPasswordBytes = 6
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

    package init() {}

    /// The claim `iss`.
    var issuer: String { (externalURL ?? "http://localhost:8000").withoutTrailingSlash + "/auth/v1" }
}

extension String {
    var withoutTrailingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
