import Auth
import Description
import EventLoop
import Foundation
import HTTPServer
import Jobs
import Logging
import Outbound
import Postgres
import Rest
import SignIn
import Web

/// Assembles event loops, database, application and HTTP server, and runs until a signal stops them.
struct Server: Sendable {
    private let functions: [Function]
    private let configuration: Configuration
    private let log: ServerLog

    init(_ functions: [Function], _ configuration: Configuration, _ log: ServerLog) {
        self.functions = functions
        self.configuration = configuration
        self.log = log
    }

    /// Calls `announce` with the port once clients can connect. Returns after a graceful shutdown.
    func run(_ signals: SignalTrap, announce: (_ port: Int) -> Void) async throws {
        FileLimit.raise()
        let signingKey = try configuration.tokens.signingKey()
        let verifier = try makeVerifier(signingKey, issuers: configuration.tokens.issuers.map(\.trusted))
        try PublicKeys.readFiles(configuration.tokens, into: verifier)
        let group = try startLoops()
        let databaseLog = DatabaseLog(log.logger)
        let database = makeDatabase(group, databaseLog)
        database.start()
        let http = HTTPEngine(group.loops, configuration.http)
        let services = HTTPEngine(group.loops, .services(trust: configuration.trust))
        let statistics = StatisticsSource()
        let worker: JobWorker
        let keys = PublicKeys(configuration.tokens, for: verifier, services, log.logger)
        let signIn: SignIn?
        let application: Application
        let server: HTTPServer
        do {
            let mailer = try makeMailer(database, services, signingKey)
            worker = try makeWorker(database, group, mailer)
            signIn = try makeSignIn(database, services, keys, signingKey, mailer, worker)
            application = try makeApplication(database, (http, services), verifier, keys, signIn, worker, statistics)
            server = try startListening(group, application)
        } catch {
            await http.shutdown()
            await services.shutdown()
            await database.shutdown()
            group.stop()
            throw error
        }
        statistics.watch(server)
        signals.serve()
        log.logger.info("serving", metadata: ["port": "\(server.localPort)", "workers": "\(configuration.workers)"])
        announce(server.localPort)

        await withTaskGroup { tasks in
            tasks.addTask { await worker.run { application.backgroundContext($0) } }
            await superviseUntilStopped(signals, server, database, databaseLog, keys)

            log.logger.info("stopping")
            worker.stop(within: configuration.limits.shutdownGrace)
            await server.shutdown(grace: configuration.limits.shutdownGrace)
        }
        await http.shutdown()
        await services.shutdown()
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
        _ keys: PublicKeys
    ) async {
        let warnings = Warnings(functions: functions, logger: log.logger)
        await withTaskGroup { group in
            group.addTask { await keys.keepFresh() }
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

    private func makeVerifier(_ signingKey: SigningKey?, issuers: [TrustedIssuer]) throws -> TokenVerifier {
        try TokenVerifier(
            secret: configuration.tokens.secret,
            ownKeys: signingKey?.keySet() ?? KeySet(),
            anonymousKey: configuration.tokens.anonymousKey,
            serviceKey: configuration.tokens.serviceKey,
            issuers: issuers,
            clock: { Double(ServerClock.system.milliseconds()) / 1000 }
        )
    }

    /// nil if this server issues no tokens, or sends no mail.
    private func makeMailer(
        _ database: Database,
        _ services: HTTPEngine,
        _ signingKey: SigningKey?
    ) throws -> Mailer? {
        guard let signingKey, let mail = configuration.mail else { return nil }
        return try Mailer(mail, database: database, signingKey: signingKey, http: services, logger: log.logger)
    }

    /// nil if this server issues no tokens.
    private func makeSignIn(
        _ database: Database,
        _ services: HTTPEngine,
        _ keys: PublicKeys,
        _ signingKey: SigningKey?,
        _ mailer: Mailer?,
        _ worker: JobWorker
    ) throws -> SignIn? {
        guard let signingKey else { return nil }
        let tokens = configuration.tokens
        // Other issuers do not speak for our accounts.
        let verifier = try makeVerifier(signingKey, issuers: [])
        var settings = configuration.signIn
        if settings.externalURL == nil { settings.externalURL = "http://localhost:\(configuration.port)" }
        return try SignIn(
            database: database,
            signingKey: signingKey,
            verifier: verifier,
            settings: settings,
            providers: configuration.identity.providers(services) + keys.identityProviders(tokens),
            mail: mailer.map { ($0, LetterQueue($0.job, worker)) }
        )
    }

    private func makeWorker(
        _ database: Database,
        _ group: EventLoopGroup,
        _ mailer: Mailer?
    ) throws -> JobWorker {
        do {
            let ours = mailer.map { mailer in [Function("auth") { mailer.job }] } ?? []
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

    private func makeApplication(
        _ database: Database,
        _ calls: (http: HTTPEngine, services: HTTPEngine),
        _ verifier: TokenVerifier,
        _ keys: PublicKeys,
        _ signIn: SignIn?,
        _ worker: JobWorker,
        _ statistics: StatisticsSource
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
        settings.http = calls.http
        settings.storage = configuration.storage.open()
        settings.push = configuration.push.sender(log.logger, calls.services)
        settings.settings = configuration.push.forFunctions
        settings.requestLog = log.requests
        settings.version = Version.text
        settings.serverMetrics = { statistics.metrics + (await worker.metricsText()) }
        settings.announceWork = { worker.announce() }
        let described = functions + (signIn == nil ? [] : [SignIn.mobileRoutes, SignIn.deviceRoutes])
        let pages = OpenAPIPages.functions(
            describing: described,
            restSchema: configuration.rest?.schemas.first,
            version: Version.text
        ) { database.schema }
        do {
            return try Application(functions: functions + (signIn?.functions ?? []) + rest + pages, settings)
        } catch {
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
        do throws(HTTPServerError) {
            return try HTTPServer.start(
                HTTPServerConfiguration(configuration),
                on: group,
                handler: handler(application)
            )
        } catch {
            switch error {
            case .portTaken, .portForbidden: throw ConfigurationError(["\(error): set another PORT, or --port"])
            case .unknownHost: throw ConfigurationError(["\(error): set another HOST"])
            case .tls: throw ConfigurationError(["\(error): see TLS_CERT_FILE and TLS_KEY_FILE"])
            case .system: throw ConfigurationError(error)
            }
        }
    }
}
