/// How sign-in behaves. The program reads it from the environment; the defaults are those of a fresh installation.
package struct SignInSettings: Sendable {
    /// Seconds that an access token lives (`JWT_EXPIRY`).
    package var accessTokenSeconds = 3600
    /// The app's own page, where links of mails lead (`SITE_URL`).
    package var siteURL: String?
    /// Where this server is reached from outside (`API_EXTERNAL_URL`); with `/auth/v1` behind it the tokens' `iss`.
    package var externalURL: String?
    /// Places beside ``siteURL`` that a link may lead to (`URI_ALLOW_LIST`); `*` stands for anything but `/` and `.`,
    /// `**` for anything.
    package var redirectAllowList: [String] = []
    /// Nobody may sign up by themselves (`DISABLE_SIGNUP`).
    package var isSignUpDisabled = false
    /// Sign-ups without address and password (`ENABLE_ANONYMOUS_USERS`).
    package var allowsAnonymousUsers = false
    /// New addresses count without a mail (`MAILER_AUTOCONFIRM`); nil: exactly when there is no mailer.
    package var confirmsAtOnce: Bool?
    /// In bytes, 6 at least in practice; at most bcrypt's 72 (`PASSWORD_MIN_LENGTH`).
    package var minimumPasswordBytes = 6
    /// Of bcrypt, 4…15 (`BCRYPT_COST`).
    package var bcryptCost = 10
    /// Hashes computed at once; the number of cores.
    package var hashesAtOnce = 2
    /// Hashes that may wait before further sign-ins get 503.
    package var waitingHashes = 256
    /// Seconds in which a used refresh token still gives the current one (`REFRESH_TOKEN_REUSE_INTERVAL`).
    package var reuseIntervalSeconds = 10
    /// Seconds after its beginning in which a session goes on (`SESSION_TIMEBOX`); nil: as long as it is used.
    package var sessionSeconds: Int?
    /// Seconds without a refresh that a session outlives (`SESSION_INACTIVITY_TIMEOUT`); nil: any.
    package var inactivitySeconds: Int?
    /// Only the newest session of a person goes on (`SESSION_SINGLE_PER_USER`), of those with the same tag.
    package var allowsOneSession = false
    /// A refresh token that comes back too late ends its session (`REFRESH_TOKEN_ROTATION`).
    package var endsStolenSessions = true

    package init() {}

    /// The claim `iss`.
    var issuer: String { Self.withoutSlash(externalURL ?? "http://localhost:8000") + "/auth/v1" }

    private static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}
