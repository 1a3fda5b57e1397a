package import SwiftletAuth
package import SwiftletOutbound
package import SwiftletPostgres
package import SwiftletWeb

/// Accounts, sessions and tokens, served as `/auth/v1` for Supabase's clients and as `mobile-auth` for the app.
package final class SignIn: Sendable {
    private let services: Services

    /// The sessions and accounts whose tokens are refused; see ``EndedSessions/keepFresh()``.
    package var ended: EndedSessions { services.ended }
    var hashCount: Int { services.passwords.hashCount }

    /// `mail` sends the emails, and stores them until then; nil for a server that sends none. `texts` is where a
    /// ``TextSender`` finds its texts. `refreshKeys` is that of ``Authentication``. Throws ``KeyError`` or
    /// ``PasswordError`` for unusable settings.
    package init(
        database: Database,
        keys: SigningKeys,
        refreshKeys: (@Sendable (KeyOwner) async -> Bool)? = nil,
        settings: SignInSettings,
        providers: [IdentityProvider] = [],
        redirects: [RedirectProvider] = [],
        hooks: (points: [Hook.Point: Hook], http: HTTPEngine)? = nil,
        mail: (mailer: Mailer, queue: EmailQueue)? = nil,
        texts: TextQueue? = nil,
        belongings: [AccountBelongings] = [],
        clock: ServerClock = .system
    ) throws {
        let accounts = AccountStore(database, writesAudit: settings.writesAudit)
        let tokens = OneTimeTokens(
            accounts,
            keys: keys,
            textSeconds: settings.textCodeSeconds,
            fixedCode: { settings.fixedCodes.code(of: $0, at: clock.milliseconds() / 1000) }
        )
        services = Services(
            settings: settings,
            accounts: accounts,
            sessions: SessionStore(accounts, settings, clock: clock),
            accessTokens: AccessTokens(
                keys: keys,
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
            emailLimits: EmailLimits(database, perHour: settings.emailsPerHour),
            passkeyLimit: AddressLimit(
                database: accounts.database,
                kind: "passkeys",
                perAddress: settings.passkeys.challengesPerAddress,
                perNetwork: settings.passkeys.challengesPerAddress * 10,
                seconds: 300
            ),
            keys: keys,
            ended: EndedSessions(database, keys.verifier),
            authentication: Authentication(verifier: keys.verifier, refreshKeys: refreshKeys),
            identities: IdentityTokens(providers, clock: clock),
            hooks: Hooks(hooks?.points ?? [:], accounts.database, hooks?.http, settings.hookLimits, clock: clock),
            redirects: redirects,
            tokens: tokens,
            emails: mail.map { Emails($0.mailer.tokens, $0.queue, settings, clock: clock) },
            texts: texts.map { queue in
                Texts(
                    tokens: tokens,
                    queue: queue,
                    limits: TextLimits(database, perHour: settings.textsPerHour),
                    pace: RequestPace(settings.mailRequestPace, clock: clock)
                )
            },
            belongings: belongings
        )
    }

    /// `auth`, which `/health` does not list, `mobile-auth` and `devices`, and `.well-known` if an app of Apple's systems
    /// is named.
    package var functions: [Function] {
        let apps = services.settings.passkeys.appleApps
        let pages = apps.isEmpty ? [] : [AppleApps(ids: apps).function]
        return [
            AuthAPI(services: services).function, MobileAPI(services: services).function,
            DeviceAPI(services: services).function,
        ].map { $0.uncompressed() } + pages
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
