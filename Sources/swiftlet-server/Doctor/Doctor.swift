import Foundation
import Functions
import HTTPServer
import Migrations
import Postgres
import Swiftlet

/// Looks at everything that a server needs, changes nothing.
struct Doctor: Sendable {
    private let environment: Environment

    init(_ environment: Environment) { self.environment = environment }

    func examine() async -> [Finding] {
        var findings: [Finding] = []
        do {
            let configuration = try Configuration(environment, mode: .serve)
            findings += examine(configuration)
            findings += await OutboundExamination(configuration).findings()
            findings += KeyExamination(configuration.tokens, environment).findings
        } catch {
            findings += error.faults.map { .fault("configuration", $0) }
        }
        findings.append(fileLimit())
        guard let url = environment["DATABASE_URL"], let info = ConnectionInfo(url) else { return findings }
        findings += database(url, info)
        guard !findings.contains(where: { $0.grade == .fault && $0.subject == "database" }) else { return findings }
        findings += migrations(url)
        findings.append(await drift())
        return findings
    }

    // MARK: Without a database

    private func examine(_ configuration: Configuration) -> [Finding] {
        let loops = configuration.workers == 1 ? "1 event loop" : "\(configuration.workers) event loops"
        var findings = [Finding.good("configuration", "complete; \(loops)")]
        if configuration.allowedOrigins.isEmpty {
            findings.append(.note("browsers", "ALLOWED_ORIGINS is not set, so pages of other origins get no answer"))
        }
        if configuration.tls == nil, configuration.mode == .serve {
            findings.append(
                .note("transport", "plain HTTP: put a TLS proxy in front, or set TLS_CERT_FILE and TLS_KEY_FILE")
            )
        }
        if let tls = configuration.tls { findings.append(examine(tls)) }
        return findings
    }

    private func examine(_ tls: TLSConfiguration) -> Finding {
        do throws(TLSError) {
            try tls.check()
            return .good("TLS", "\(tls.keyFile) belongs to \(tls.certificateFile)")
        } catch {
            return .fault("TLS", "\(error): see TLS_CERT_FILE and TLS_KEY_FILE")
        }
    }

    private func fileLimit() -> Finding {
        let limit = FileLimit.current.hard
        let wanted = Int(environment["MAX_CONNECTIONS"] ?? "") ?? 10000
        // Sockets of clients, of the database, pollers, files.
        return limit >= wanted + 100
            ? .good("file limit", "\(limit) descriptors")
            : .fault(
                "file limit",
                "\(limit) descriptors are too few for MAX_CONNECTIONS=\(wanted): raise it (ulimit -Hn)"
            )
    }

    // MARK: With a database

    private func database(_ url: String, _ info: ConnectionInfo) -> [Finding] {
        do {
            let connection = try BlockingConnection.connect(to: url)
            let row =
                try connection.query(
                    """
                    SELECT current_setting('server_version'), current_setting('server_version_num')::integer >= 130000,
                        pg_is_in_recovery(), current_user, round(extract(epoch FROM clock_timestamp()) * 1000)::bigint
                    """
                ).first ?? []
            guard row.count == 5 else { return [.fault("database", "it does not answer as PostgreSQL does")] }
            var findings: [Finding] = []
            let place = "\(info.summary), PostgreSQL \(row[0] ?? "?") as \(row[3] ?? "?")"
            if row[1] != "t" {
                findings.append(.fault("version", "\(place): 13 or newer is needed"))
            } else if row[2] == "t" {
                findings.append(
                    .fault("writes", "\(place) is a standby: add target_session_attrs=read-write and the primary")
                )
            } else {
                findings.append(.good("database", place))
            }
            findings.append(clock(row[4].flatMap { Int($0) }))
            findings.append(try access(connection))
            findings.append(try roles(connection))
            findings += try AuthExamination.findings(connection)
            return findings
        } catch {
            return [.fault("database", "\(info.summary): \(error): check DATABASE_URL, and that the server runs")]
        }
    }

    private func clock(_ milliseconds: Int?) -> Finding {
        let skew = abs((milliseconds ?? 0) - ServerClock.system.milliseconds())
        return skew < 2000
            ? .good("clock", "within \(skew) ms of the database's")
            : .fault("clock", "\(skew) ms off the database's: tokens and times depend on it, run NTP on both")
    }

    /// Row policies must not bind the server: it has no claims to show, and every list would be empty.
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

    private func migrations(_ url: String) -> [Finding] {
        do {
            let files = try MigrationFolder.find(environment["MIGRATIONS_DIR"]).load()
            let entries = try Migrator(url: url, files: files).status()
            let pending = entries.filter { $0.state == .pending }.map(\.name)
            let edited = entries.filter { if case .edited = $0.state { true } else { false } }.map(\.name)
            var findings: [Finding] = []
            if !edited.isEmpty {
                findings.append(.fault("migrations", MigrationError.edited(edited).description))
            }
            if !pending.isEmpty {
                findings.append(
                    .fault("migrations", "pending: \(pending.joined(separator: ", ")): run swiftlet migrate")
                )
            }
            return findings.isEmpty ? [.good("migrations", "\(entries.count) applied")] : findings
        } catch {
            return [.fault("migrations", error.description)]
        }
    }

    private func drift() async -> Finding {
        do {
            let schema = try await SchemaProbe.read(environment)
            let missing = Set(functions.flatMap { FunctionSummary($0, in: schema).missing }).sorted()
            return missing.isEmpty
                ? .good("drift", "the database has what every function declares")
                : .fault(
                    "drift",
                    "the database lacks \(missing.joined(separator: ", ")): run swiftlet migrate, or add them"
                )
        } catch {
            return .fault("drift", "the catalog cannot be read: \(error)")
        }
    }
}
