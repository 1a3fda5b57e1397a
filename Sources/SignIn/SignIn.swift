package import Auth
package import Logging
package import Postgres
package import Swiftlet

/// Sign-in: accounts, sessions and tokens, served as `/auth/v1` for Supabase's clients and as `mobile-auth` for the app.
package final class SignIn: Sendable {
    private let services: Services
    private let mailer: Mailer?

    /// `verifier` must know our own keys and the server's API keys, and no foreign issuers: they vouch for their own
    /// people, not for our accounts.
    package init(
        database: Database,
        signingKey: SigningKey,
        verifier: TokenVerifier,
        settings: SignInSettings,
        providers: [IdentityProvider] = [],
        mail: MailSettings? = nil,
        logger: Logger,
        clock: ServerClock = .system
    ) throws {
        let accounts = AccountStore(database: database, schema: AuthSchema(database: database))
        mailer = try mail.map { try Mailer($0, logger, clock: clock) }
        let tokens = try OneTimeTokens(database: database, key: signingKey.secret)
        services = Services(
            settings: settings,
            accounts: accounts,
            sessions: SessionStore(accounts, settings, clock: clock),
            accessTokens: AccessTokens(
                issuer: signingKey.issuer,
                issuerName: settings.issuer,
                lifetimeSeconds: settings.accessTokenSeconds,
                clock: clock
            ),
            passwords: try Passwords(
                cost: settings.bcryptCost,
                width: settings.hashesAtOnce,
                depth: settings.waitingHashes
            ),
            limits: SignInLimits(accounts),
            signUpLimits: SignUpLimits(database: database),
            verifier: verifier,
            identities: IdentityTokens(providers, clock: clock),
            publicKeys: signingKey.publicKeys,
            letters: mailer.map { Letters(tokens, $0, clock: clock) }
        )
    }

    /// `auth`, which `/health` does not name, and `mobile-auth`.
    package var functions: [Function] {
        [AuthAPI(services: services).function, MobileAPI(services: services).function]
    }

    /// The same without anything behind it, for lists of what there is.
    package static let mobileRoutes = Function("mobile-auth") {
        post("/login") { _, _ in throw APIError.notFound }.open()
        post("/refresh") { _, _ in throw APIError.notFound }.open()
    }

    /// Waits for the letters that are under way, at the end of the process.
    package func drain(within limit: Duration) async { await mailer?.drain(within: limit) }
}
