import SwiftletEssentials
import SwiftletHTTPServer
import SwiftletMigrations
import SwiftletPostgres
import SwiftletRest
import SwiftletWeb
import SwiftletFiles

/// Checks everything that a server needs, and changes nothing.
struct Doctor: Sendable {
    private let environment: Environment

    /// Connections to the database, pollers, files.
    private static let descriptorsBesideClients = 100
    private static let daysToRenew = 14

    init(_ environment: Environment) { self.environment = environment }

    func examine() async -> [Finding] {
        var findings: [Finding] = []
        var rest: RestSettings? = RestSettings()
        var readsChanges = true
        var hooks: HookSettings?
        do {
            let configuration = try Configuration(environment, mode: .serve)
            rest = configuration.rest
            readsChanges = configuration.changes != nil
            hooks = configuration.hooks
            findings += examine(configuration)
            findings += await OutboundExamination(configuration).findings()
            findings.append(await StorageExamination(configuration.storage).finding())
            findings.append(StorageExamination.finding(on: configuration.files.images))
            findings += await BackupExamination(configuration.backups, configuration.database).findings()
            findings += KeyExamination(configuration.tokens, environment).findings
        } catch {
            findings += error.faults.map { .fault("configuration", $0) }
        }
        guard let url = environment["DATABASE_URL"], let info = ConnectionInfo(url) else { return findings }
        findings += DatabaseExamination(url, info, rest: rest, readsChanges: readsChanges, hooks: hooks).findings()
        guard !findings.contains(where: { $0.grade == .fault && $0.subject == "database" }) else { return findings }
        findings += migrations(url)
        findings += ReplicaExamination(url, try? DatabaseSettings(environment)).findings()
        findings.append(await drift())
        return findings
    }

    private func examine(_ configuration: Configuration) -> [Finding] {
        let loops = configuration.workers == 1 ? "1 event loop" : "\(configuration.workers) event loops"
        var findings = [Finding.good("configuration", "complete; \(loops)")]
        findings += configuration.notices.map { .note("configuration", $0) }
        if configuration.allowedOrigins.isEmpty {
            findings.append(.note("browsers", "ALLOWED_ORIGINS is not set, so pages of other origins get no answer"))
        }
        if let tls = configuration.tls {
            findings.append(examine(tls))
        } else {
            findings.append(
                .note("transport", "plain HTTP: put a TLS proxy in front, or set TLS_CERT_FILE and TLS_KEY_FILE")
            )
        }
        findings += ConfirmationExamination(configuration).findings
        findings += TextExamination(configuration, environment).findings
        findings += PasskeyExamination(configuration, environment).findings
        findings.append(fileLimit(for: configuration.limits.connections))
        findings.append(Self.timeZones)
        return findings
    }

    private static var timeZones: Finding {
        ZoneDatabase.system.absence.map { .fault("time zones", $0) } ?? .good("time zones", ZoneDatabase.system.folder)
    }

    private func examine(_ tls: TLSConfiguration) -> Finding {
        do throws(TLSError) {
            let seconds = try tls.check().components.seconds
            let days = seconds / 86_400
            if seconds < 0 { return .fault("TLS", "\(tls.certificateFile) has expired: renew it, then send SIGHUP") }
            if days < Self.daysToRenew {
                return .note("TLS", "\(tls.certificateFile) expires in \(days) days: renew it, then send SIGHUP")
            }
            return .good("TLS", "\(tls.keyFile) belongs to \(tls.certificateFile)")
        } catch {
            return .fault("TLS", "\(error): see TLS_CERT_FILE and TLS_KEY_FILE")
        }
    }

    private func fileLimit(for connections: Int) -> Finding {
        let limit = FileLimit.hard
        return limit >= connections + Self.descriptorsBesideClients
            ? .good("file limit", "\(limit) descriptors")
            : .fault(
                "file limit",
                "\(limit) descriptors are too few for MAX_CONNECTIONS=\(connections): raise it (ulimit -Hn)"
            )
    }

    private func migrations(_ url: String) -> [Finding] {
        do {
            let files = try AllMigrations.load(environment["MIGRATIONS_DIR"])
            let plan = try Migrator(url: url, files: files).plan()
            let pending = plan.pending.map(\.name)
            let edited = plan.edited
            var findings: [Finding] = []
            if !edited.isEmpty {
                findings.append(.fault("migrations", MigrationError.edited(edited).description))
            }
            if !pending.isEmpty {
                findings.append(
                    .fault("migrations", "pending: \(pending.joined(separator: ", ")): run swiftlet migrate")
                )
            }
            if findings.isEmpty { findings.append(.good("migrations", "\(plan.entries.count) applied")) }
            return findings + AllMigrations.notes(on: plan).map { .note("rolling deploy", $0) }
        } catch {
            return [.fault("migrations", error.description)]
        }
    }

    private func drift() async -> Finding {
        let functions = RunningApp.current.functions
        do {
            let (schema, faults) = try await CommandDatabase.use(environment) { database in
                (database.schema, try await DeclarationFaults.find(in: functions, database))
            }
            let missing = FunctionSummary.missing(of: functions, in: schema).sorted()
            var problems: [String] = []
            if !missing.isEmpty {
                problems.append(
                    "the database lacks \(missing.joined(separator: ", ")): run swiftlet migrate, or add them"
                )
            }
            if !faults.isEmpty { problems.append("the database refuses \(faults.joined(separator: "; "))") }
            return problems.isEmpty
                ? .good("drift", "the database has what every function declares")
                : .fault("drift", problems.joined(separator: "; "))
        } catch {
            return .fault("drift", "the catalog cannot be read: \((error as? PostgresError)?.message ?? "\(error)")")
        }
    }
}
