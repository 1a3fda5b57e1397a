import SwiftletMigrations
import SwiftletPostgres
import SwiftletRest
import SwiftletWeb

/// Checks the database: version, clock, row policies, roles, and the schema of sign-in.
struct DatabaseExamination: Sendable {
    private let url: String
    private let info: ConnectionInfo
    private let rest: RestSettings?
    private let readsChanges: Bool
    private let hooks: HookSettings?

    private static let maximumSkewMilliseconds = 2000

    init(
        _ url: String,
        _ info: ConnectionInfo,
        rest: RestSettings?,
        readsChanges: Bool = true,
        hooks: HookSettings? = nil
    ) {
        self.url = url
        self.info = info
        self.rest = rest
        self.readsChanges = readsChanges
        self.hooks = hooks
    }

    func findings() -> [Finding] {
        do {
            let connection = try BlockingConnection.connect(to: url)
            let row =
                try connection.query(
                    """
                    SELECT current_setting('server_version'), current_setting('server_version_num')::integer >= 130000,
                        pg_is_in_recovery(), current_user, round(extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                        current_setting('transaction_read_only')
                    """
                ).first ?? []
            guard row.count == 6 else { return [.fault("database", "it does not answer as PostgreSQL does")] }
            var findings: [Finding] = []
            let place = "\(info.summary), PostgreSQL \(row[0] ?? "?") as \(row[3] ?? "?")"
            if row[1] != "t" {
                findings.append(.fault("version", "\(place): 13 or newer is needed"))
            } else if row[2] == "t" {
                findings.append(
                    .fault("writes", "\(place) is a standby: add target_session_attrs=read-write and the primary")
                )
            } else if row[5] == "on" {
                findings.append(
                    .fault("writes", "\(place) takes no changes: set default_transaction_read_only to off")
                )
            } else {
                findings.append(.good("database", place))
            }
            findings.append(clock(row[4].flatMap { Int($0) }))
            if let fault = try DatabaseFitness.fault(on: connection) { findings.append(.fault("schema", fault)) }
            findings.append(try access(connection))
            findings.append(try roles(connection))
            findings += try AdoptionExamination.findings(connection)
            findings += try AuthExamination.findings(connection)
            findings += try RestExamination(rest).findings(connection)
            findings += try RealtimeExamination(reads: readsChanges).findings(connection)
            findings += try FilesExamination(rest).findings(connection)
            findings += try WebhookExamination.findings(connection)
            if let hooks { findings += try HookExamination(hooks).findings(connection) }
            return findings
        } catch {
            let remedy = "check DATABASE_URL, and that the server runs and admits us"
            return [.fault("database", "\(info.summary): \(error): \(remedy)")]
        }
    }

    private func clock(_ milliseconds: Int?) -> Finding {
        let skew = abs((milliseconds ?? 0) - ServerClock.system.milliseconds())
        return skew < Self.maximumSkewMilliseconds
            ? .good("clock", "within \(skew) ms of the database's")
            : .fault("clock", "\(skew) ms off the database's: tokens and times depend on it, run NTP on both")
    }

    /// Row policies must not apply to the server: it sets no claims, so every list would be empty.
    private func access(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> Finding {
        let bound = try connection.query(
            """
            SELECT relname FROM pg_class
            WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND row_security_active(oid)
            ORDER BY relname
            """
        ).compactMap { $0[0] }
        return bound.isEmpty
            ? .good("access", "no row policy binds this user")
            : .fault(
                "access",
                "row policies bind this user on \(bound.joined(separator: ", ")): connect as the tables' owner, or BYPASSRLS"
            )
    }

    private func roles(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> Finding {
        let wanted = ["anon", "authenticated", "service_role"]
        let text = "SELECT rolname FROM pg_roles WHERE rolname = ANY(ARRAY['anon', 'authenticated', 'service_role'])"
        let present = try connection.query(text).compactMap { $0[0] }
        let missing = wanted.filter { !present.contains($0) }
        return missing.isEmpty
            ? .good("roles", wanted.joined(separator: ", "))
            : .note(
                "roles",
                "\(missing.joined(separator: ", ")) missing: CREATE ROLE … NOLOGIN, if others use the database"
            )
    }
}
