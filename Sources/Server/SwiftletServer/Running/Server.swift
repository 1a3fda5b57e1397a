import Logging
import SwiftletConsole
import SwiftletEssentials
import SwiftletHTTPServer
import SwiftletJobs
import SwiftletPostgres
import SwiftletRealtime
import SwiftletSignIn
import SwiftletWeb

/// Runs an assembled server until a signal stops it.
struct Server: Sendable {
    private let functions: [Function]
    private let configuration: Configuration
    private let log: ServerLog
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
    }

    /// Calls `announce` with the port once clients can connect. Returns after a graceful shutdown.
    func run(_ signals: SignalTrap, announce: (_ port: Int) -> Void) async throws {
        FileLimit.raise()
        for notice in configuration.notices { log.logger.warning("\(notice)") }
        let assembly = try await ServerAssembly(functions, configuration, log, environment)
        assembly.start()
        let (parts, worker, signIn) = (assembly.parts, assembly.worker, assembly.signIn)
        let (application, console) = (assembly.application, assembly.console)
        let server: HTTPServer
        let metricsServer: HTTPServer?
        let consoleServer: HTTPServer?
        do {
            let isApart = configuration.console.listen != nil
            // Whoever is connected may have a request under way, so that a signal waits for it.
            signals.serve()
            server = try parts.startListening(application)
            metricsServer = try parts.startMetrics(application)
            consoleServer = try parts.startConsole(
                console.flatMap { isApart ? try parts.application(signIn, worker, $0.console) : nil }
            )
        } catch {
            await assembly.shutdown()
            throw error
        }
        parts.statistics.watch(server)
        log.logger.info("serving", metadata: ["port": "\(server.localPort)", "workers": "\(configuration.workers)"])
        announce(server.localPort)

        await withTaskGroup { background in
            background.addTask { await parts.changes.run() }
            background.addTask { await application.shareRates() }
            background.addTask { await parts.replicas?.set.run() }
            background.addTask { await parts.traces?.exporter.run() }
            background.addTask { await parts.backups?.watch(log.logger) }
            await withTaskGroup { tasks in
                tasks.addTask { await worker.run { application.backgroundContext($0) } }
                let ended = signIn?.ended ?? EndedSessions(parts.database, parts.verifier)
                await superviseUntilStopped(
                    signals,
                    parts,
                    [server] + (consoleServer.map { [$0] } ?? []),
                    ended,
                    console
                )

                log.logger.info("stopping")
                application.prepareToStop()
                // A second signal ends the process.
                if configuration.limits.shutdownDelay > .zero {
                    try? await Task.sleep(for: configuration.limits.shutdownDelay)
                }
                await parts.realtime?.sayGoodbye()
                worker.stop(within: configuration.limits.shutdownGrace)
                await server.shutdown(grace: configuration.limits.shutdownGrace)
                await metricsServer?.shutdown(grace: .zero)
                await consoleServer?.shutdown(grace: .zero)
            }
            background.cancelAll()
        }
        await assembly.shutdown()
        log.logger.info("stopped")
    }

    /// Runs background tasks and handles signals, until the one to stop.
    private func superviseUntilStopped(
        _ signals: SignalTrap,
        _ parts: ServerParts,
        _ servers: [HTTPServer],
        _ ended: EndedSessions,
        _ console: ConsoleParts?
    ) async {
        let warnings = Warnings(functions: functions, logger: log.logger)
        await withTaskGroup { group in
            group.addTask { await parts.keys.keepFresh() }
            group.addTask { await parts.realtime?.run() }
            group.addTask { await ended.keepFresh() }
            group.addTask { await console?.observe() }
            group.addTask { await warnings.checkPendingMigrations(configuration) }
            group.addTask { await warnings.watchDrift(parts.database, parts.databaseLog) }
            // Each in a task of its own: a file or the database may hang, which delays neither the others nor the stop.
            // Signals that arrive during a reload are combined into one.
            let requests = reloads(servers, parts).map { reload in
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

    /// What SIGHUP asks for: each server has the certificate.
    private func reloads(_ servers: [HTTPServer], _ parts: ServerParts) -> [@Sendable () async -> Void] {
        servers.map { server in
            { await attempt("certificate not reloaded") { try await blocking { try server.reloadTLS() } } }
        } + [
            { await parts.keys.reload() },
            { await attempt("push account not reloaded") { try await blocking { try parts.push.reload() } } },
            { await attempt("schema not reloaded") { try await parts.database.reloadSchema() } },
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
}
