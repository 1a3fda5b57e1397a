import SwiftletAuth
import SwiftletCalls
import SwiftletConsole
import SwiftletFiles
import SwiftletInterface
import SwiftletJobs
import SwiftletPush
import SwiftletRealtime
import SwiftletRest
import SwiftletSignIn
import SwiftletStorage
import SwiftletWeb

/// The application: all functions, and what they reach.
extension ServerParts {
    func application(_ signIn: SignIn?, _ worker: JobWorker, _ console: Console?) throws -> Application {
        var settings = ApplicationConfiguration(database: database, verifier: verifier, logger: log.logger)
        settings.refreshKeys = { [keys] in await keys.refresh($0) }
        let authentication = Authentication(verifier: verifier, refreshKeys: settings.refreshKeys)
        let rest =
            configuration.rest.map {
                [RestAPI(database: database, authentication: authentication, settings: $0).function]
            } ?? []
        settings.cors = CORSPolicy(
            origins: configuration.allowedOrigins,
            allowsLoopback: configuration.mode == .development && configuration.allowedOrigins.isEmpty
        )
        settings.values = configuration.values
        settings.values[HTTPKey.self] = http
        settings.values[StorageKey.self] = storage
        settings.values[PushKey.self] = push.sender
        settings.values[WorkAnnouncementKey.self] = { worker.announce() }
        settings.replicas = replicas
        settings.rates = configuration.rates
        settings.requestLog = log.requests
        settings.tracer = traces?.tracer
        settings.publicPages = configuration.pages.shown
        settings.isDevelopment = configuration.mode == .development
        settings.requiredTables = worker.hasJobs ? ["swiftlet.jobs"] : []
        if signIn != nil { settings.requiredTables += ["auth.users", "auth.sessions", "auth.refresh_tokens"] }
        settings.version = Version.text
        settings.serverMetrics = { [statistics, realtime, backups, changes, traces] in
            statistics.metrics + (await worker.metricsText()) + (realtime?.statistics.metrics ?? "")
                + (backups?.metrics ?? "") + (traces?.exporter.metrics ?? "")
                + (await changes.metricsText())
        }
        settings.welcome = WelcomePage.html(hasConsole: console != nil)
        do {
            let live = Function("realtime") {
                realtime?.routes ?? []
                changes.routes
            }
            .keepingDates().checkedByHandlers().unlisted()
            let all =
                functions + (signIn?.functions ?? []) + rest + [files(authentication).function, live]
                + pages(signIn, console)
            let unknown = Set(configuration.rates.functions.keys).subtracting(all.map(\.name))
                .subtracting(Application.ownFunctions).sorted()
            if !unknown.isEmpty {
                throw ConfigurationError(unknown.map { "RATE_LIMIT names the function \($0), which is not served" })
            }
            return try Application(functions: all, settings)
        } catch let error as DeclarationError {
            throw ConfigurationError(error)
        }
    }

    private func files(_ authentication: Authentication) -> FilesAPI {
        var settings = configuration.files
        settings.anonymousRole = configuration.rest?.anonymousRole ?? settings.anonymousRole
        if let signing { settings.linkSecrets = { signing.secrets } }
        settings.trustedProxies = configuration.signIn.trustedProxies
        settings.images.folder = configuration.storage.imageFolder
        return FilesAPI(authentication: authentication, storage: storage, settings: settings)
    }

    /// What describes the functions to people and to programs, and the console.
    private func pages(_ signIn: SignIn?, _ console: Console?) -> [Function] {
        let described = functions + (signIn == nil ? [] : [SignIn.mobileRoutes, SignIn.deviceRoutes])
        let pages =
            !configuration.pages.showsDescription
            ? []
            : OpenAPIPages.functions(
                describing: described,
                restSchema: configuration.rest?.schemas.first,
                version: Version.text,
                summaries: RunningApp.current.summaries.merging(AuthDescription.summaries) { own, _ in own }
            ) { [database] in database.schema }
        // An app's own function of that name counts instead.
        let documentation =
            functions.contains { $0.name == "docs" } || !configuration.pages.showsDescription
            ? []
            : [
                Documentation.function(
                    assetsFolder: configuration.console.assetsFolder,
                    signIn: signIn == nil ? nil : AuthDescription.document(version: Version.text)
                )
            ]
        return pages + documentation + (console.map { [$0.function] } ?? [])
    }
}
