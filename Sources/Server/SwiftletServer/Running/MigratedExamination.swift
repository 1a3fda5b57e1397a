import SwiftletConsole
import SwiftletEssentials
import SwiftletPostgres
import SwiftletRest
import SwiftletWeb

/// Judges the database as pending migrations leave it, in the transaction in which they were tried.
struct MigratedExamination: Sendable {
    let transaction: Transaction
    let functions: [Function]
    let rest: RestSettings?
    /// Whether there are pending migrations.
    let isPending: Bool
    /// What functions declare and the database lacks already: servers answer without it.
    let lacking: Set<String>

    private static let accessFile = "access.json"

    func faults(say: (String) -> Void) async -> [String] {
        (await declarations(say: say)) + (await preRequest()) + (await accessChecks(say: say))
    }

    private var moment: String { isPending ? " once the pending migrations are applied" : "" }

    /// Tables and columns that functions declare and that pending migrations take away, and SQL of theirs that the database
    /// refuses.
    private func declarations(say: (String) -> Void) async -> [String] {
        do {
            let schema = try await Schema.read(in: transaction)
            let missing = FunctionSummary.missing(of: functions, in: schema)
            let (known, lost) = (missing.intersection(lacking), missing.subtracting(lacking))
            let refused = try await DeclarationFaults.find(in: functions, schema, transaction)
            var faults = refused.map { "Functions: the database refuses \($0)\(moment)." }
            if !lost.isEmpty {
                faults.insert("Functions: the database lacks \(lost.sorted().joined(separator: ", "))\(moment).", at: 0)
            }
            if !known.isEmpty {
                say("Note: the database lacks \(known.sorted().joined(separator: ", ")): functions answer without.")
            }
            if faults.isEmpty { say("The database takes what the functions declare.") }
            return faults
        } catch {
            return ["Functions: the catalog cannot be read: \(error)."]
        }
    }

    /// Without the function every request to `/rest/v1` fails.
    private func preRequest() async -> [String] {
        guard let rest, let name = rest.preRequest else { return [] }
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        let schemas = parts.count == 2 ? [parts[0]] : rest.schemas + rest.extraSearchPath
        do {
            let found = try await transaction.query(
                """
                SELECT FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
                WHERE proname = \(parts.last ?? name) AND nspname = ANY (string_to_array(\(schemas.joined(separator: ",")), ','))
                    AND pronargs = pronargdefaults AND prokind = 'f'
                """
            )
            guard found.isEmpty else { return [] }
            return ["REST: REST_PRE_REQUEST names \(name)(), which the database lacks\(moment)."]
        } catch {
            return ["REST: whether REST_PRE_REQUEST exists cannot be read: \(error)."]
        }
    }

    /// Those of the database, and of `access.json` if there is such a file.
    private func accessChecks(say: (String) -> Void) async -> [String] {
        do {
            var checks = try await keptChecks()
            if let text = FileManager.default.contents(atPath: Self.accessFile) {
                checks += try AccessCheck.list(Array(text))
            }
            let tester = AccessTester(within: transaction)
            var faults: [String] = []
            for check in checks {
                do {
                    if let fault = try await check.run(tester) {
                        faults.append("Access: \(check.subject) \(fault)\(moment).")
                    }
                } catch let error as ConsoleError where error.isThingNotFound {
                    faults.append("Access: \(check.subject): there is no such table\(moment).")
                } catch let error as ConsoleError {
                    faults.append("Access: \(check.subject): \(error.message)")
                }
            }
            if faults.isEmpty { say("\(checks.count) access checks hold.") }
            return faults
        } catch let error as ConsoleError {
            return ["Access: \(error.message)"]
        } catch {
            return ["Access: the checks cannot be run: \(error)."]
        }
    }

    private func keptChecks() async throws -> [AccessCheck] {
        guard try await !transaction.query("SELECT WHERE to_regclass('swiftlet.access_checks') IS NOT NULL").isEmpty
        else { return [] }
        let rows = try await transaction.query(
            "SELECT coalesce(jsonb_agg(entry ORDER BY id), '[]')::text AS entries FROM swiftlet.access_checks"
        )
        return try AccessCheck.list(Array((rows.first?["entries"] ?? "[]").utf8))
    }
}
