import ArgumentParser
import Logging
import SwiftletMigrations
import SwiftletPostgres

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve in production.",
        discussion: """
            Needs DATABASE_URL, and one of JWT_SECRET, JWT_SIGNING_KEY, JWT_JWKS and JWT_ISSUERS. An invalid \
            configuration exits with 78 and one line per fault.

            Example:
              DATABASE_URL=postgresql://app@db/app JWT_SECRET=… swiftlet serve --migrate
              swiftlet serve --check
            """
    )

    @Flag(help: "Apply pending migrations first.")
    var migrate = false

    @Flag(help: "Look at configuration, database, pending migrations and access checks, and exit.")
    var check = false

    @Option(help: "The port to listen on, 0 to 65535; PORT otherwise, else 8000.")
    var port: PortArgument?

    func run() async throws {
        if check { return try await examine() }
        try await Terminal.run(needsOutput: false) {
            let signals = SignalTrap.install()
            let environment = try Environment.current().setting("PORT", to: port?.text)
            let configuration = try Configuration(environment, mode: .serve)
            let log = ServerLog(configuration.log, keepsLines: configuration.console.isOn)
            defer { log.flush() }
            try await DatabaseAdmission(database: configuration.database).check()
            if migrate { try await applyMigrations(configuration, log.logger) }
            try await Server(RunningApp.current.functions, configuration, log, environment).run(signals) { _ in }
        }
    }

    /// Exits with 78 and a sentence for each fault.
    private func examine() async throws {
        try await Terminal.run {
            let environment = try Environment.current().setting("PORT", to: port?.text)
            let faults = await ServingCheck(environment: environment).faults { Terminal.say($0) }
            guard faults.isEmpty else { throw ConfigurationError(faults) }
        }
    }

    /// One per second.
    private static let maximumAttempts = 30

    /// In a new composition the database may still be starting: an unreachable one is retried for half a minute.
    private func applyMigrations(_ configuration: Configuration, _ logger: Logger) async throws {
        let files: [MigrationFile]
        do {
            files = try AllMigrations.load(configuration.migrationsFolder)
        } catch {
            throw ConfigurationError(error)
        }
        let migrator = Migrator(url: configuration.database.url, files: files)
        for attempt in 1...Self.maximumAttempts {
            do {
                try await blocking {
                    try migrator.apply { logger.info("migration applied", metadata: ["name": "\($0)"]) }
                }
                return
            } catch MigrationError.database(let error) where error.isOutage && attempt < Self.maximumAttempts {
                if attempt == 1 { logger.warning("waiting for the database", metadata: ["cause": "\(error)"]) }
                try await Task.sleep(for: .seconds(1))
            } catch MigrationError.database(let error) where error.isRefusal {
                throw DatabaseAdmission(database: configuration.database).fault(error)
            } catch let fault as MigrationError where fault.isLasting {
                throw ConfigurationError(fault)
            }
        }
    }
}
