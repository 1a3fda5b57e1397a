import Logging
import SwiftletMigrations
import SwiftletPostgres
import SwiftletWeb

/// Logs what an operator should know although the server works: each warning once.
struct Warnings: Sendable {
    let functions: [Function]
    let logger: Logger

    /// Warns when the database lacks what functions declare, as they work without it, and when it refuses their SQL.
    func watchDrift(_ database: Database, _ databaseLog: DatabaseLog) async {
        var known: [String] = []
        var knownFaults: [String] = []
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
            guard let faults = try? await DeclarationFaults.find(in: functions, database) else { continue }
            if !faults.isEmpty, faults != knownFaults {
                logger.warning(
                    "the database refuses what functions declare",
                    metadata: ["faults": "\(faults.joined(separator: "; "))"]
                )
            }
            knownFaults = faults
        }
    }

    func checkPendingMigrations(_ configuration: Configuration) async {
        let url = configuration.database.url
        let folder = configuration.migrationsFolder
        // No warning if there are no migration files or the database is down.
        guard let files = try? AllMigrations.load(folder) else { return }
        let pending = try? await blocking { try Migrator(url: url, files: files).pending() }
        guard let pending, !pending.isEmpty else { return }
        logger.warning(
            "migrations are pending: swiftlet migrate",
            metadata: ["files": "\(pending.map(\.name).joined(separator: ", "))"]
        )
    }
}
