import SwiftletAuth
import SwiftletCalls
import SwiftletConsole
import SwiftletInterface
import SwiftletEventLoop
import Foundation
import SwiftletFiles
import SwiftletHTTPServer
import SwiftletJobs
import Logging
import SwiftletOutbound
import SwiftletPostgres
import SwiftletRealtime
import SwiftletRest
import SwiftletSignIn
import SwiftletStorage
import SwiftletWeb
import SwiftletWebhooks

/// Assembles event loops, database, application and HTTP server, and runs until a signal stops them.
struct Server: Sendable {
    private let functions: [Function]
    private let configuration: Configuration
    private let log: ServerLog
    /// nil where none are made.
    private let backups: ScheduledBackup?
    /// What the console's doctor looks at.
    private let environment: Environment

    init(
        _ functions: [Function],
        _ configuration: Configuration,
        _ log: ServerLog,
        _ environment: Environment = Environment([:])
    ) {
        self.functions = functions
        self.configuration = configuration
        self.log = log
        self.environment = environment
        backups = ScheduledBackup(configuration)
    }

    /// Calls `announce` with the port once clients can connect. Returns after a graceful shutdown.
    func run(_ signals: SignalTrap, announce: (_ port: Int) -> Void) async throws {
        FileLimit.raise()
        for notice in configuration.notices { log.logger.warning("\(notice)") }
        let signingKey = try configuration.tokens.signingKey()
        let verifier = try makeVerifier()
        let signing = try signingKey.map { try SigningKeys($0, verifier: verifier) }
        try PublicKeys.readFiles(configuration.tokens, into: verifier)
        let group = try startLoops()
        let databaseLog = DatabaseLog(log.logger)
        let database = makeDatabase(group, databaseLog)
        database.start()
        let http = HTTPEngine(group.loops, configuration.http)
        let services = HTTPEngine(group.loops, .services(trust: configuration.trust))
        let posts = HTTPEngine(group.loops, .webhooks(configuration.webhooks, trust: configuration.trust))
        let statistics = StatisticsSource()
        let storage = configuration.storage.open()
        let worker: JobWorker
        let keys = PublicKeys(configuration.tokens, for: verifier, signing, services, log.logger)
        let signIn: SignIn?
        let changes = RowChanges(configuration.changes, database: database, on: group.loops[0], logger: log.logger)
        let realtime = makeRealtime(database, group, verifier, keys, changes)
        let application: Application
        let server: HTTPServer
        let metricsServer: HTTPServer?
        var console: ConsoleParts?
        do {
            let mailer = try makeMailer(database, services, signing)
            let texts = makeTextSender(database, services, signing)
            worker = try makeWorker(
                database,
                group,
                storage,
                mailer,
                texts,
                WebhookSender(posts, configuration.webhooks)
            )
            signIn = try makeSignIn(database, services, keys, signing, (mailer, texts), worker)
            let announcing = worker
            console = try ConsoleParts.make(
                configuration,
                log,
                issuer: signingKey?.issuer,
                environment: environment,
                announceWork: { announcing.announce() }
            )
            application = try makeApplication(
                database,
                (http, services),
                storage,
                verifier,
                signingKey,
                keys,
                signIn,
                worker,
                realtime,
                changes,
                statistics,
                console?.console
            )
            console?.start(application)
            server = try startListening(group, application)
            metricsServer = try startMetrics(group, application)
        } catch {
            await console?.shutdown()
            await http.shutdown()
            await services.shutdown()
            await posts.shutdown()
            await database.shutdown()
            group.stop()
            throw error
        }
        statistics.watch(server)
        signals.serve()
        log.logger.info("serving", metadata: ["port": "\(server.localPort)", "workers": "\(configuration.workers)"])
        announce(server.localPort)

        await withTaskGroup { background in
            background.addTask { await changes.run() }
            background.addTask { await application.shareRates() }
            background.addTask { await backups?.watch(log.logger) }
            await withTaskGroup { tasks in
                tasks.addTask { await worker.run { application.backgroundContext($0) } }
                let ended = signIn?.ended ?? EndedSessions(database, verifier)
                await superviseUntilStopped(signals, server, database, databaseLog, keys, realtime, ended, console)

                log.logger.info("stopping")
                application.prepareToStop()
                // A second signal ends the process.
                if configuration.limits.shutdownDelay > .zero {
                    try? await Task.sleep(for: configuration.limits.shutdownDelay)
                }
                await realtime?.sayGoodbye()
                worker.stop(within: configuration.limits.shutdownGrace)
                await server.shutdown(grace: configuration.limits.shutdownGrace)
                await metricsServer?.shutdown(grace: .zero)
            }
            background.cancelAll()
        }
        await console?.shutdown()
        await http.shutdown()
        await services.shutdown()
        await posts.shutdown()
        await database.shutdown()
        group.stop()
        log.logger.info("stopped")
    }

    /// Runs background tasks and handles signals, until the one to stop.
    private func superviseUntilStopped(
        _ signals: SignalTrap,
        _ server: HTTPServer,
        _ database: Database,
        _ databaseLog: DatabaseLog,
        _ keys: PublicKeys,
        _ realtime: Realtime?,
        _ ended: EndedSessions,
        _ console: ConsoleParts?
    ) async {
        let warnings = Warnings(functions: functions, logger: log.logger)
        await withTaskGroup { group in
            group.addTask { await keys.keepFresh() }
            group.addTask { await realtime?.run() }
            group.addTask { await ended.keepFresh() }
            group.addTask { await console?.observe() }
            group.addTask { await warnings.checkPendingMigrations(configuration) }
            group.addTask { await warnings.watchDrift(database, databaseLog) }
            // Each in a task of its own: a file or the database may hang, which delays neither the others nor the stop.
            // Signals that arrive during a reload are combined into one.
            let requests = reloads(server, database, keys).map { reload in
                let (stream, request) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                group.addTask {
                    for await _ in stream where !Task.isCancelled { await reload() }
                }
                return request
            }
            for await event in signals.events {
                if event == .stop { break }
                log.logger.info("reloading")
                for request in requests { request.yield() }
            }
            group.cancelAll()
        }
    }

    /// What SIGHUP asks for.
    private func reloads(
        _ server: HTTPServer,
        _ database: Database,
        _ keys: PublicKeys
    ) -> [@Sendable () async -> Void] {
        [
            { await attempt("certificate not reloaded") { try await blocking { try server.reloadTLS() } } },
            { await keys.reload() },
            { await attempt("schema not reloaded") { try await database.reloadSchema() } },
        ]
    }

    private func attempt(_ failure: Logger.Message, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            // The server stops.
            if Task.isCancelled { return }
            log.logger.error(failure, metadata: ["cause": "\(error)"])
        }
    }

    // MARK: The parts

    private func makeVerifier() throws -> TokenVerifier {
        try TokenVerifier(
            secret: configuration.tokens.secret,
            anonymousKey: configuration.tokens.anonymousKey,
            serviceKey: configuration.tokens.serviceKey,
            issuers: configuration.tokens.issuers.map(\.trusted),
            requiresExpiry: configuration.tokens.requiresExpiry,
            clock: { Double(ServerClock.system.milliseconds()) / 1000 }
        )
    }

    /// nil if this server issues no tokens, or sends no mail.
    private func makeMailer(
        _ database: Database,
        _ services: HTTPEngine,
        _ signing: SigningKeys?
    ) throws -> Mailer? {
        guard let signing, let mail = configuration.mail else { return nil }
        return try Mailer(mail, database: database, keys: signing, http: services, logger: log.logger)
    }

    /// nil if this server issues no tokens, or sends no texts.
    private func makeTextSender(
        _ database: Database,
        _ services: HTTPEngine,
        _ signing: SigningKeys?
    ) -> TextSender? {
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
    private func makeSignIn(
        _ database: Database,
        _ services: HTTPEngine,
        _ keys: PublicKeys,
        _ signing: SigningKeys?,
        _ senders: (mailer: Mailer?, texts: TextSender?),
        _ worker: JobWorker
    ) throws -> SignIn? {
        guard let signing else { return nil }
        let tokens = configuration.tokens
        var settings = configuration.signIn
        if settings.externalURL == nil { settings.externalURL = "http://localhost:\(configuration.port)" }
        let redirects = configuration.redirects.providers(services)
        return try SignIn(
            database: database,
            keys: signing,
            refreshKeys: { await keys.refresh($0) },
            settings: settings,
            providers: IdentityProvider.joined(
                configuration.identity.providers(services) + redirects.compactMap(\.identity)
                    + keys.identityProviders(tokens)
            ),
            redirects: redirects,
            hooks: (configuration.hooks.points, services),
            mail: senders.mailer.map { ($0, EmailQueue($0.job, worker)) },
            texts: senders.texts.map { TextQueue($0.job, worker) },
            belongings: [.files, .waitingJobs, .keptAnswers]
        )
    }

    private func makeWorker(
        _ database: Database,
        _ group: EventLoopGroup,
        _ storage: ObjectStorage,
        _ mailer: Mailer?,
        _ texts: TextSender?,
        _ webhooks: WebhookSender
    ) throws -> JobWorker {
        do {
            let purge = FilePurge(storage: storage, after: configuration.files.purgeAge)
            let backup = backups?.job.map { job in [Function("backup") { job }] } ?? []
            let ours =
                [
                    Function("storage") { purge.job }, Function("idempotency") { IdempotencyPurge.job },
                    webhooks.function,
                ] + backup
                + (mailer.map { mailer in [Function("auth") { mailer.job }] } ?? [])
                + (texts.map { texts in [Function("texts") { texts.job }] } ?? [])
                + (configuration.signIn.auditDays.map { days in [Function("audit") { AuditPurge(days: days).job }] }
                    ?? [])
            let registry = try JobRegistry(functions + ours)
            return JobWorker(registry, configuration.jobs, database: database, on: group.loops, logger: log.logger)
        } catch {
            throw ConfigurationError(error)
        }
    }

    private func startLoops() throws -> EventLoopGroup {
        do {
            return try EventLoopGroup.start(count: configuration.workers, poller: configuration.poller)
        } catch {
            throw ConfigurationError(["\(configuration.workers) event loops cannot be started: \(error)"])
        }
    }

    private func makeDatabase(_ group: EventLoopGroup, _ databaseLog: DatabaseLog) -> Database {
        let database = configuration.database
        var settings = DatabaseConfiguration(url: database.url, connections: database.connections)
        settings.isPrepared = database.isPrepared
        return Database(configuration: settings, group: group) { databaseLog.record($0) }
    }

    /// nil where it is off.
    private func makeRealtime(
        _ database: Database,
        _ group: EventLoopGroup,
        _ verifier: TokenVerifier,
        _ keys: PublicKeys,
        _ changes: RowChanges
    ) -> Realtime? {
        configuration.realtime.map { settings in
            Realtime(
                database: database,
                authentication: Authentication(verifier: verifier, refreshKeys: { await keys.refresh($0) }),
                loops: group.loops,
                settings: settings,
                changes: changes.hub,
                logger: log.logger,
                clock: { Double(ServerClock.system.milliseconds()) / 1000 }
            )
        }
    }

    private func makeApplication(
        _ database: Database,
        _ calls: (http: HTTPEngine, services: HTTPEngine),
        _ storage: ObjectStorage,
        _ verifier: TokenVerifier,
        _ signingKey: SigningKey?,
        _ keys: PublicKeys,
        _ signIn: SignIn?,
        _ worker: JobWorker,
        _ realtime: Realtime?,
        _ changes: RowChanges,
        _ statistics: StatisticsSource,
        _ console: Console?
    ) throws -> Application {
        var settings = ApplicationConfiguration(database: database, verifier: verifier, logger: log.logger)
        settings.refreshKeys = { await keys.refresh($0) }
        let authentication = Authentication(verifier: verifier, refreshKeys: settings.refreshKeys)
        let rest =
            configuration.rest.map {
                [RestAPI(database: database, authentication: authentication, settings: $0).function]
            } ?? []
        settings.cors = CORSPolicy(
            origins: configuration.allowedOrigins,
            allowsLoopback: configuration.mode == .development && configuration.allowedOrigins.isEmpty
        )
        var filesSettings = configuration.files
        filesSettings.anonymousRole = configuration.rest?.anonymousRole ?? filesSettings.anonymousRole
        filesSettings.linkKeys = try signingKey.map { try LinkKeys(secret: $0.secret) }
        filesSettings.trustedProxies = configuration.signIn.trustedProxies
        filesSettings.images.folder = configuration.storage.imageFolder
        let files = FilesAPI(authentication: authentication, storage: storage, settings: filesSettings)
        settings.values = configuration.values
        settings.values[HTTPKey.self] = calls.http
        settings.values[StorageKey.self] = storage
        settings.values[PushKey.self] = configuration.push.sender(log.logger, calls.services)
        settings.values[WorkAnnouncementKey.self] = { worker.announce() }
        settings.rates = configuration.rates
        settings.requestLog = log.requests
        settings.publicPages = configuration.pages.shown
        settings.isDevelopment = configuration.mode == .development
        settings.requiredTables = worker.hasJobs ? ["swiftlet.jobs"] : []
        if signIn != nil { settings.requiredTables += ["auth.users", "auth.sessions", "auth.refresh_tokens"] }
        settings.version = Version.text
        settings.serverMetrics = {
            statistics.metrics + (await worker.metricsText()) + (realtime?.statistics.metrics ?? "")
                + (backups?.metrics ?? "")
                + (await changes.metricsText())
        }
        settings.welcome = WelcomePage.html(hasConsole: console != nil)
        let described = functions + (signIn == nil ? [] : [SignIn.mobileRoutes, SignIn.deviceRoutes])
        let pages =
            !configuration.pages.showsDescription
            ? []
            : OpenAPIPages.functions(
                describing: described,
                restSchema: configuration.rest?.schemas.first,
                version: Version.text
            ) { database.schema }
        // An app's own function of that name counts instead.
        let documentation =
            functions.contains { $0.name == "docs" } || !configuration.pages.showsDescription
            ? [] : [Documentation.function(assetsFolder: configuration.console.assetsFolder)]
        let own = documentation + (console.map { [$0.function] } ?? [])
        do {
            let live = Function("realtime") {
                realtime?.routes ?? []
                [changes.route]
            }
            .keepingDates().checkedByHandlers().unlisted()
            let all = functions + (signIn?.functions ?? []) + rest + [files.function, live] + pages + own
            let unknown = Set(configuration.rates.functions.keys).subtracting(all.map(\.name)).sorted()
            if !unknown.isEmpty {
                throw ConfigurationError(unknown.map { "RATE_LIMIT names the function \($0), which is not served" })
            }
            return try Application(functions: all, settings)
        } catch let error as DeclarationError {
            throw ConfigurationError(error)
        }
    }

    private func handler(_ application: Application) -> HTTPHandler {
        HTTPHandler(
            respond: { await application.answer($0) },
            refuseContent: { await application.refuseContent(of: $0) },
            streamingLimit: { application.streamingLimit(of: $0) },
            refuse: { refusal in
                switch (refusal.cause, refusal.request) {
                case (.slowHandler, let request?): return application.timeoutResponse(to: request, refusal.reason)
                case (.unreadOutput, let request?): return application.withheldResponse(to: request, refusal.reason)
                default: break
                }
                return application.refusalResponse(
                    refusal.status,
                    refusal.reason,
                    from: refusal.remoteAddress,
                    origin: refusal.origin,
                    refusal.request
                )
            },
            ended: { application.end($0, with: $1) }
        )
    }

    private func startListening(
        _ group: EventLoopGroup,
        _ application: Application
    ) throws(ConfigurationError) -> HTTPServer {
        try start(HTTPServerConfiguration(configuration), on: group, handler(application), "PORT, or --port")
    }

    /// Serves `/metrics` on a port of its own, if there is one: plain, and without any function.
    private func startMetrics(
        _ group: EventLoopGroup,
        _ application: Application
    ) throws(ConfigurationError) -> HTTPServer? {
        guard let port = configuration.pages.metricsPort else { return nil }
        var settings = HTTPServerConfiguration(configuration)
        settings.port = port
        settings.tls = nil
        let handler = HTTPHandler(
            respond: { request in
                guard request.path == "/metrics" else { return Response(status: .notFound) }
                guard [.get, .head].contains(request.method) else { return Response(status: .methodNotAllowed) }
                return await application.metricsResponse()
            },
            refuse: { Response(status: $0.status) }
        )
        let server = try start(settings, on: group, handler, "METRICS_PORT")
        log.logger.info("serving metrics", metadata: ["metrics_port": "\(server.localPort)"])
        return server
    }

    private func start(
        _ settings: HTTPServerConfiguration,
        on group: EventLoopGroup,
        _ handler: HTTPHandler,
        _ portSetting: String
    ) throws(ConfigurationError) -> HTTPServer {
        do throws(HTTPServerError) {
            return try HTTPServer.start(settings, on: group, handler: handler)
        } catch {
            switch error {
            case .portTaken, .portForbidden: throw ConfigurationError(["\(error): set another \(portSetting)"])
            case .unknownHost: throw ConfigurationError(["\(error): set another HOST"])
            case .tls: throw ConfigurationError(["\(error): see TLS_CERT_FILE and TLS_KEY_FILE"])
            case .system: throw ConfigurationError(error)
            }
        }
    }
}
