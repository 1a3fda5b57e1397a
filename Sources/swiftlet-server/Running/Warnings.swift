import Functions
import Logging
import Migrations
import Postgres
import Swiftlet

/// What an operator should know while everything works: told once, when it is found.
struct Warnings: Sendable {
    let logger: Logger

    /// Functions work on without what the database lacks; somebody should know.
    func tellDrift(_ database: Database, _ databaseLog: DatabaseLog) async {
        var known: [String] = []
        for await _ in databaseLog.schemaChanges {
            let schema = database.schema
            let missing = Set(functions.flatMap { FunctionSummary($0, in: schema).missing }).sorted()
            if !missing.isEmpty, missing != known {
                logger.warning(
                    "the database lacks what functions declare",
                    metadata: ["missing": "\(missing.joined(separator: ", "))"]
                )
            }
            known = missing
        }
    }

    func tellPendingMigrations(_ configuration: Configuration) async {
        let url = configuration.database.url
        let folder = configuration.migrationsFolder
        // Neither a server without migrations at hand nor a database that is down is worth a word here.
        guard let files = try? MigrationFolder.find(folder).load() else { return }
        let pending = try? await blocking { try Migrator(url: url, files: files).pending() }
        guard let pending, !pending.isEmpty else { return }
        logger.warning(
            "migrations are pending: swiftlet migrate",
            metadata: ["files": "\(pending.map(\.name).joined(separator: ", "))"]
        )
    }
}
