import ArgumentParser
import SwiftletAuth
import SwiftletEmbeddedPostgres
import SwiftletEssentials
import SwiftletHTTPServer
import SwiftletMigrations

struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Serve on this machine, with a private PostgreSQL and demo data.",
        discussion: """
            Creates a private PostgreSQL in .swiftlet/ from the installed server programs, applies the migrations, inserts \
            demo data once, and serves on 127.0.0.1. Ctrl-C stops both. If DATABASE_URL is set, that database is used.

            A script seed.sql beside .swiftlet is run once in a new database. What swiftlet logs shows is in \
            .swiftlet/server.log.

            Example:
              swiftlet dev --port 8080
              swift run MyServer dev --watch
            """
    )

    @Flag(help: "Delete the private database and start from scratch.")
    var reset = false

    @Flag(help: "Build and start again when Swift, SQL or .env changes; clients wait meanwhile.")
    var watch = false

    @Option(help: "The port to listen on, 0 to 65535; PORT otherwise, else 8000.")
    var port: PortArgument?

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let signals = SignalTrap.install()
            let environment = try Environment.current().setting("PORT", to: port?.text)
            let folder = DevelopmentFolder()
            try DevelopmentSession.validate(environment)
            if reset { try deleteAll(folder, environment) }
            try folder.create()
            if watch { return try await watchServer(signals, folder, environment) }
            let embedded = try environment["DATABASE_URL"] == nil ? startDatabase(folder) : nil
            defer { embedded?.cluster.stop() }
            let app = RunningApp.current
            let session = try DevelopmentSession(app, environment, folder, embedded)
            try session.prepareDatabase()
            let log = ServerLog(
                session.configuration.log,
                keepsLines: session.configuration.console.isOn,
                file: LogFile(folder.log)
            )
            defer { log.flush() }
            defer { RunningServer.forget(in: folder) }
            try await Server(app.functions, session.configuration, log, session.environment).run(signals) { port in
                session.remember(port: port)
                session.printBanner(port: port)
            }
        }
    }

    /// The database and the socket are ours, so that they stay while the server is another one.
    private func watchServer(
        _ signals: SignalTrap,
        _ folder: DevelopmentFolder,
        _ environment: Environment
    ) async throws {
        let configuration = try Configuration(
            environment.with("DATABASE_URL", default: "postgresql:///").with(
                "JWT_SECRET",
                default: environment.hasKeys ? nil : folder.makeSecret()
            ),
            mode: .development
        )
        let held: (descriptor: CInt, port: Int)
        do throws(HTTPServerError) {
            held = try HTTPServer.holdSocket(host: configuration.host, port: configuration.port)
        } catch {
            throw ConfigurationError(["\(error): set another PORT, or --port"])
        }
        let embedded = try environment["DATABASE_URL"] == nil ? startDatabase(folder) : nil
        defer { embedded?.cluster.stop() }
        var settings = ["PORT": String(held.port)]
        if let embedded { settings["DATABASE_URL"] = embedded.url }
        if environment["SHUTDOWN_GRACE"] == nil { settings["SHUTDOWN_GRACE"] = "1" }
        guard let program = ProgramFile.path else { throw CommandFailure("this program's file is not known") }
        let server = try WatchedServer(
            program: program,
            folder: FileManager.default.currentDirectoryPath,
            socket: held.descriptor,
            settings
        )
        signals.serve()
        async let stopping: Void = {
            for await event in signals.events where event == .stop { return server.stop() }
        }()
        try await blocking { try server.run() }
        server.stop()
        _ = await stopping
    }

    private func deleteAll(_ folder: DevelopmentFolder, _ environment: Environment) throws {
        guard environment["DATABASE_URL"] == nil else {
            throw ConfigurationError(["--reset deletes the private database only, but DATABASE_URL names another one"])
        }
        do {
            try PostgresCluster.delete(folder.database)
        } catch {
            throw ConfigurationError(error)
        }
        try? FileManager.default.removeItem(atPath: folder.path)
    }

    private func startDatabase(_ folder: DevelopmentFolder) throws -> DevelopmentDatabase {
        do {
            return try DevelopmentDatabase.start(in: folder)
        } catch {
            throw ConfigurationError(error)
        }
    }
}
