import SwiftletPostgres
import SwiftletRest

/// Checks what `/rest/v1` exposes: the schemas, the roles that requests run as, and tables that no row policy guards.
struct RestExamination: Sendable {
    private let settings: RestSettings?

    init(_ settings: RestSettings?) { self.settings = settings }

    func findings(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Finding] {
        guard var settings else { return [.good("REST", "off (REST_SCHEMAS)")] }
        let strange = try ownSettings(connection).filter { !settings.set($0.name, to: $0.value) }.map(\.name)
        let schemas = settings.schemas.map(Self.quoted).joined(separator: ", ")
        let known = try connection.query("SELECT nspname FROM pg_namespace WHERE nspname IN (\(schemas))")
        let missing = settings.schemas.filter { name in !known.contains { $0[0] == name } }
        guard missing.isEmpty else {
            return [.fault("REST", "REST_SCHEMAS names schemas that do not exist: \(missing.joined(separator: ", "))")]
        }
        var findings = [Finding.good("REST", "serves the schemas \(settings.schemas.joined(separator: ", "))")]
        if !strange.isEmpty {
            let names = strange.map { "pgrst.\($0)" }.joined(separator: ", ")
            findings.append(
                .note("REST settings", "the database sets \(names), which is not honored: see docs/rest.md")
            )
        }
        findings += try roles(connection, settings)
        if let role = settings.anonymousRole { findings += try openTables(connection, schemas, role) }
        findings += try closedTables(connection, schemas)
        return findings
    }

    /// PostgREST's configuration in the database, of this connection's role.
    private func ownSettings(
        _ connection: borrowing BlockingConnection
    ) throws(BlockingConnectionError) -> [(name: String, value: String)] {
        try connection.query(
            """
            SELECT substr(split_part(s.setting, '=', 1), 7), substr(s.setting, strpos(s.setting, '=') + 1)
            FROM pg_db_role_setting d CROSS JOIN LATERAL unnest(d.setconfig) AS s (setting)
            WHERE d.setrole = (SELECT oid FROM pg_roles WHERE rolname = session_user) AND s.setting LIKE 'pgrst.%'
                AND d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
            ORDER BY d.setdatabase
            """
        ).map { (name: $0[0] ?? "", value: $0[1] ?? "") }
    }

    /// Requests run as these roles, so the server must be allowed to become them.
    private func roles(
        _ connection: borrowing BlockingConnection,
        _ settings: RestSettings
    ) throws(BlockingConnectionError) -> [Finding] {
        let wanted = [settings.anonymousRole, "authenticated", "service_role"].compactMap(\.self)
        let list = wanted.map(Self.quoted).joined(separator: ", ")
        let rows = try connection.query(
            "SELECT rolname, pg_has_role(current_user, oid, 'MEMBER') FROM pg_roles WHERE rolname IN (\(list))"
        )
        let strange = rows.filter { $0[1] != "t" }.compactMap { $0[0] }
        guard !strange.isEmpty else { return [] }
        let user = try connection.query("SELECT current_user").first?[0] ?? "the server's role"
        let names = strange.joined(separator: ", ")
        return [.fault("REST roles", "requests cannot run as \(names): GRANT \(names) TO \(user)")]
    }

    /// Tables without row policies that the anonymous role reads or changes.
    private func openTables(
        _ connection: borrowing BlockingConnection,
        _ schemas: String,
        _ role: String
    ) throws(BlockingConnectionError) -> [Finding] {
        let rows = try connection.query(
            """
            SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_roles r ON r.rolname = \(Self.quoted(role))
            WHERE n.nspname IN (\(schemas)) AND c.relkind IN ('r', 'p') AND NOT c.relrowsecurity
                AND has_schema_privilege(r.oid, n.oid, 'USAGE')
                AND has_table_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE') ORDER BY 1
            """
        ).compactMap { $0[0] }
        guard !rows.isEmpty else { return [.good("REST access", "no table without row policies is open to \(role)")] }
        return [
            .note(
                "REST access",
                "everybody reaches all rows of \(Self.list(rows)) as \(role): ENABLE ROW LEVEL SECURITY, or REVOKE"
            )
        ]
    }

    /// Tables whose policies are on, but of which there are none: nobody reaches a row.
    private func closedTables(
        _ connection: borrowing BlockingConnection,
        _ schemas: String
    ) throws(BlockingConnectionError) -> [Finding] {
        let rows = try connection.query(
            """
            SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname IN (\(schemas)) AND c.relkind IN ('r', 'p') AND c.relrowsecurity
                AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)
                AND EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'authenticated'
                    AND has_table_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE')) ORDER BY 1
            """
        ).compactMap { $0[0] }
        guard !rows.isEmpty else { return [] }
        return [.note("REST policies", "\(Self.list(rows)) have row security and no policy: nobody sees a row of them")]
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(8).joined(separator: ", ")
        return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
    }

    /// A literal (PostgreSQL manual, 4.1.2.1).
    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}
