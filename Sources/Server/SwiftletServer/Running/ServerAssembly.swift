import SwiftletHTTPServer
import SwiftletJobs
import SwiftletSignIn
import SwiftletWeb

/// A whole server that takes no connection yet and has none to the database: `serve` starts it, `serve --check` does not.
struct ServerAssembly: Sendable {
    let parts: ServerParts
    let worker: JobWorker
    let signIn: SignIn?
    let application: Application
    let console: ConsoleParts?

    /// Throws what keeps a server from being started, such as a key that cannot be read.
    init(
        _ functions: [Function],
        _ configuration: Configuration,
        _ log: ServerLog,
        _ environment: Environment
    ) async throws {
        try Self.check(configuration.tls)
        let parts = try ServerParts(functions, configuration, log)
        var console: ConsoleParts?
        do {
            let (mailer, texts) = (try parts.mailer(), parts.textSender())
            let worker = try parts.worker(mailer, texts)
            signIn = try parts.signIn(mailer, texts, worker)
            console = try ConsoleParts.make(
                configuration,
                log,
                parts: parts,
                environment: environment,
                announceWork: { worker.announce() }
            )
            let isApart = configuration.console.listen != nil
            application = try parts.application(signIn, worker, isApart ? nil : console?.console)
            self.worker = worker
            self.console = console
            self.parts = parts
        } catch {
            await console?.shutdown()
            await parts.shutdown()
            throw error
        }
    }

    /// Connects to the database.
    func start() {
        parts.database.start()
        console?.start(application)
    }

    func shutdown() async {
        await console?.shutdown()
        await parts.shutdown()
    }

    /// Before anything that must be shut down again is there.
    private static func check(_ tls: TLSConfiguration?) throws(ConfigurationError) {
        do throws(TLSError) {
            _ = try tls?.check()
        } catch {
            throw ConfigurationError(["\(error): see TLS_CERT_FILE and TLS_KEY_FILE"])
        }
    }
}
