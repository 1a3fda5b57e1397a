package import Auth
package import Postgres
package import Web

/// Accounts, sessions and tokens, served as `/auth/v1` for Supabase's clients and as `mobile-auth` for the app.
package final class SignIn: Sendable {
    private let services: Services

    /// `mail` sends the letters, and stores them until then; nil for a server that sends none. `verifier` must know this server's keys and API keys, but no other issuers: their tokens do not belong to our
    /// accounts. Throws ``KeyError`` or ``PasswordError`` for unusable settings.
    package init(
        database: Database,
        signingKey: SigningKey,
        verifier: TokenVerifier,
        settings: SignInSettings,
        providers: [IdentityProvider] = [],
        mail: (mailer: Mailer, queue: LetterQueue)? = nil,
        clock: ServerClock = .system
    ) throws {
        let accounts = AccountStore(database)
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
            signUpLimits: SignUpLimits(database),
            verifier: verifier,
            identities: IdentityTokens(providers, clock: clock),
            publicKeys: signingKey.publicKeys,
            letters: mail.map { Letters($0.mailer.tokens, $0.queue, clock: clock) }
        )
    }

    /// `auth`, which `/health` does not list, `mobile-auth` and `devices`.
    package var functions: [Function] {
        [
            AuthAPI(services: services).function, MobileAPI(services: services).function,
            DeviceAPI(services: services).function,
        ]
    }

    /// The routes of `mobile-auth` without handlers, for `swiftlet functions`.
    package static let mobileRoutes = MobileAPI.routes({ _, _ in .emptyObject }, { _, _ in .emptyObject })

    /// The routes of `devices` without handlers.
    package static let deviceRoutes = DeviceAPI.routes(
        { _, _ in .emptyObject },
        { _, _ in .emptyObject },
        { _, _ in .emptyObject }
    )
}
