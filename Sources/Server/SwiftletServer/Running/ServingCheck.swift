import SwiftletMigrations
import SwiftletPostgres
import SwiftletWeb

/// What keeps a server from serving rightly, found before it starts: `swiftlet serve --check`. Changes nothing.
struct ServingCheck: Sendable {
    let environment: Environment

    /// PostgreSQL refuses a new value of an enumeration until the transaction that has added it is committed.
    private static let newEnumerationValue = "55P04"

    /// One sentence for each fault; none if it may start. `say` gets what was looked at.
    func faults(say: (String) -> Void) async -> [String] {
        let configuration: Configuration
        do {
            configuration = try Configuration(environment, mode: .serve)
        } catch {
            return error.faults.map { "Configuration: \($0)".sentence }
        }
        let faults = await assemble(configuration)
        if faults.isEmpty { say("The configuration is complete.") }
        let url = configuration.database.url
        do {
            try await blocking { _ = try BlockingConnection.connect(to: url) }
        } catch {
            return faults + ["Database (\(configuration.database)): \(error)".sentence]
        }
        await examineReplicas(configuration.database, say: say)
        return faults + (await rehearse(configuration, say: say))
    }

    /// Puts together what `serve` starts, and takes it apart again: files of keys and certificates, and names in settings.
    private func assemble(_ configuration: Configuration) async -> [String] {
        let log = ServerLog(Configuration.LogSettings(level: .critical, format: configuration.log.format))
        do {
            let functions = RunningApp.current.functions
            try await ServerAssembly(functions, configuration, log, environment).shutdown()
            return []
        } catch let error as ConfigurationError {
            return error.faults.map { "Configuration: \($0)".sentence }
        } catch {
            return ["Configuration: \(error)".sentence]
        }
    }

    /// Reads go to the primary while a replica is away, so that none is a fault.
    private func examineReplicas(_ settings: DatabaseSettings, say: (String) -> Void) async {
        let findings = try? await blocking { ReplicaExamination(settings.url, settings).findings() }
        for finding in findings ?? [] where finding.grade != .good {
            say("Note: \(finding.subject): \(finding.text)".sentence)
        }
    }

    /// Tries what is pending in a transaction, judges functions and access there, and rolls it back.
    private func rehearse(_ configuration: Configuration, say: (String) -> Void) async -> [String] {
        let (folder, url) = (configuration.migrationsFolder, configuration.database.url)
        let functions = RunningApp.current.functions
        let lacking: Set<String>
        do {
            lacking = FunctionSummary.missing(of: functions, in: try await CommandDatabase.schema(environment))
        } catch {
            return ["Functions: the catalog cannot be read: \(error)".sentence]
        }
        let plan: MigrationPlan
        let rehearsal: Migrator.Rehearsal
        do {
            (plan, rehearsal) = try await blocking {
                let migrator = Migrator(url: url, files: try AllMigrations.load(folder))
                return (try migrator.plan(), try migrator.beginRehearsal())
            }
        } catch MigrationError.failed(let file, _, let error) where error.state == Self.newEnumerationValue {
            say(
                """
                Note: \(file) uses a value that a pending migration adds to an enumeration, and PostgreSQL takes it only \
                once that is committed. Neither this migration and those behind it nor functions and access were tried.
                """
            )
            return []
        } catch {
            return [
                "Migrations: \(error)".sentence,
                "Functions and access were not looked at, as they are judged on the migrated database.",
            ]
        }
        let tried = rehearsal.tried
        say(
            tried.isEmpty
                ? "All migrations are applied."
                : "\(tried.count) pending migrations were tried and undone: \(tried.joined(separator: ", "))."
        )
        for note in AllMigrations.notes(on: plan) { say("Note: \(note)".sentence) }
        let examination = MigratedExamination(
            transaction: rehearsal.transaction,
            functions: functions,
            rest: configuration.rest,
            isPending: !tried.isEmpty,
            lacking: lacking
        )
        let faults = await examination.faults(say: say)
        rehearsal.transaction.rollBack()
        return faults
    }
}

extension String {
    /// With a full stop.
    fileprivate var sentence: String { hasSuffix(".") ? self : "\(self)." }
}
