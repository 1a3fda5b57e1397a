import SwiftletConsole
import SwiftletEssentials
import SwiftletMigrations
import SwiftletPostgres
import SwiftletWeb

/// What keeps a server from serving rightly, found before it starts: `swiftlet serve --check`. Changes nothing.
struct ServingCheck: Sendable {
    let environment: Environment

    private static let accessFile = "access.json"

    /// One sentence for each fault; none if it may start. `say` gets what was looked at.
    func faults(say: (String) -> Void) async -> [String] {
        let configuration: Configuration
        do {
            configuration = try Configuration(environment, mode: .serve)
        } catch {
            return error.faults.map { "Configuration: \($0)." }
        }
        say("The configuration is complete.")
        let url = configuration.database.url
        do {
            try await blocking { _ = try BlockingConnection.connect(to: url) }
        } catch {
            return ["Database (\(configuration.database)): \(error)."]
        }
        let (pending, faults) = await migrations(configuration, say: say)
        return faults + (await declarations(say: say))
            + (await accessChecks(url, mayLackTables: pending > 0, say: say))
    }

    /// Tries what is pending in a transaction that is rolled back.
    private func migrations(
        _ configuration: Configuration,
        say: (String) -> Void
    ) async -> (pending: Int, faults: [String]) {
        let (folder, url) = (configuration.migrationsFolder, configuration.database.url)
        do {
            let (tried, edited) = try await blocking {
                let migrator = Migrator(url: url, files: try AllMigrations.load(folder))
                let edited = try migrator.status().filter(\.isEdited).map(\.name)
                return (edited.isEmpty ? try migrator.rehearse() : [], edited)
            }
            guard edited.isEmpty else { return (0, ["Migrations: \(MigrationError.edited(edited))."]) }
            say(
                tried.isEmpty
                    ? "All migrations are applied."
                    : "\(tried.count) pending migrations were tried and undone: \(tried.joined(separator: ", "))."
            )
            return (tried.count, [])
        } catch {
            return (0, ["Migrations: \(error)."])
        }
    }

    /// SQL in the declarations of functions that the database refuses. What it lacks may come with a migration.
    private func declarations(say: (String) -> Void) async -> [String] {
        do {
            let faults = try await CommandDatabase.use(environment) { database in
                try await DeclarationFaults.find(in: RunningApp.current.functions, database)
            }
            if faults.isEmpty { say("The database takes what the functions declare.") }
            return faults.map { "Functions: the database refuses \($0)." }
        } catch {
            return ["Functions: the catalog cannot be read: \(error)."]
        }
    }

    /// Those of the database, and of `access.json` if there is such a file. A table that is missing may come with a pending
    /// migration.
    private func accessChecks(_ url: String, mayLackTables: Bool, say: (String) -> Void) async -> [String] {
        do {
            var checks = try await blocking { try Self.keptChecks(url) }
            if let text = FileManager.default.contents(atPath: Self.accessFile) {
                checks += try AccessCheck.list(Array(text))
            }
            let all = checks
            let faults = try await CommandDatabase.use(environment) { database in
                let tester = AccessTester(database: database)
                var faults: [String] = []
                for check in all {
                    do {
                        if let fault = try await check.run(tester) {
                            faults.append("Access: \(check.subject) \(fault).")
                        }
                    } catch let error as ConsoleError where error.isNotFound && mayLackTables {
                        continue
                    } catch let error as ConsoleError {
                        faults.append("Access: \(check.subject): \(error.message)")
                    }
                }
                return faults
            }
            if faults.isEmpty { say("\(all.count) access checks hold.") }
            return faults
        } catch let error as ConsoleError {
            return ["Access: \(error.message)"]
        } catch {
            return ["Access: the checks cannot be run: \(error)."]
        }
    }

    private static func keptChecks(_ url: String) throws -> [AccessCheck] {
        let connection = try BlockingConnection.connect(to: url)
        guard try connection.query("SELECT to_regclass('swiftlet.access_checks')").first?[0] != nil else { return [] }
        let entries = try connection.query(
            "SELECT coalesce(jsonb_agg(entry ORDER BY id), '[]') FROM swiftlet.access_checks"
        )
        return try AccessCheck.list(Array((entries.first?[0] ?? "[]").utf8))
    }
}
