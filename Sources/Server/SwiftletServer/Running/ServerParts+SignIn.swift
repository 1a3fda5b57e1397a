import SwiftletAuth
import SwiftletFiles
import SwiftletJobs
import SwiftletRealtime
import SwiftletSignIn
import SwiftletWeb

/// Sign-in, and those who send for it.
extension ServerParts {
    /// nil if this server issues no tokens, or sends no mail.
    func mailer() throws -> Mailer? {
        guard let signing, let mail = configuration.mail else { return nil }
        return try Mailer(mail, database: database, keys: signing, http: services, logger: log.logger)
    }

    /// nil if this server issues no tokens, or sends no texts.
    func textSender() -> TextSender? {
        guard let signing, let hook = configuration.hooks.points[.sendSMS] else { return nil }
        return TextSender(
            hook,
            database: database,
            keys: signing,
            settings: configuration.signIn,
            http: services,
            logger: log.logger
        )
    }

    /// nil if this server issues no tokens.
    func signIn(_ mailer: Mailer?, _ texts: TextSender?, _ worker: JobWorker) throws -> SignIn? {
        guard let signing else { return nil }
        let tokens = configuration.tokens
        var settings = configuration.signIn
        if settings.externalURL == nil { settings.externalURL = "http://localhost:\(configuration.port)" }
        let redirects = configuration.redirects.providers(services)
        return try SignIn(
            database: database,
            keys: signing,
            refreshKeys: { [keys] in await keys.refresh($0) },
            settings: settings,
            providers: IdentityProvider.joined(
                configuration.identity.providers(services) + redirects.compactMap(\.identity)
                    + keys.identityProviders(tokens)
            ),
            redirects: redirects,
            hooks: (configuration.hooks.points, services),
            mail: mailer.map { ($0, EmailQueue($0.job, worker)) },
            texts: texts.map { TextQueue($0.job, worker) },
            belongings: [.files, .jobs, .keptAnswers, .syncedCopies]
        )
    }
}
