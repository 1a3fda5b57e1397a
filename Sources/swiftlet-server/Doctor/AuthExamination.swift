import Postgres

/// Checks the schema `auth` for sign-in: its tables, this user's privileges, and what an older GoTrue lacks.
enum AuthExamination {
    static func findings(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Finding] {
        let user = try connection.query("SELECT current_user").first?.first.flatMap { $0 } ?? "?"
        var tables: [String: Table] = [:]
        for row in try connection.query(inventory) {
            guard let name = row[0] else { continue }
            tables[name] = Table(row)
        }
        guard let users = tables["users"] else {
            return [.fault("sign-in", "the table auth.users is missing: run swiftlet migrate")]
        }
        var findings: [Finding] = []
        let missing = needed.keys.filter { tables[$0] == nil }.sorted()
        if !missing.isEmpty {
            let names = missing.map { "auth.\($0)" }.joined(separator: ", ")
            findings.append(.fault("sign-in", "missing: \(names): \(remedy(users.owner, user))"))
        }
        let bound = tables.filter { needed[$0.key] != nil && $0.value.isBound }.map { "auth.\($0.key)" }.sorted()
        if !bound.isEmpty {
            findings.append(
                .fault(
                    "sign-in",
                    "row policies hide \(bound.joined(separator: ", ")) from \(user): connect as \(users.owner), or "
                        + "ALTER ROLE \(user) BYPASSRLS"
                )
            )
        }
        let closed = tables.filter { needed[$0.key] != nil && !$0.value.isWritable }.map { "auth.\($0.key)" }.sorted()
        if !closed.isEmpty {
            findings.append(
                .fault(
                    "sign-in",
                    "\(user) may not read and write \(closed.joined(separator: ", ")): as \(users.owner), "
                        + "GRANT ALL ON ALL TABLES IN SCHEMA auth TO \(user), and on all sequences"
                )
            )
        }
        let lacking = missingColumns(tables)
        if !lacking.isEmpty {
            findings.append(
                .note(
                    "sign-in",
                    "made by an older GoTrue, without \(lacking.joined(separator: ", ")): sign-in does without; "
                        + remedy(users.owner, user)
                )
            )
        }
        guard findings.allSatisfy({ $0.grade != .fault }) else { return findings }
        let owner = users.owner == user ? "own" : "\(users.owner)'s"
        return findings + [.good("sign-in", "the schema auth is usable, \(owner)")]
    }

    private struct Table {
        let owner: String
        let columns: Set<String>
        let isBound: Bool
        let isWritable: Bool

        init(_ row: [String?]) {
            owner = row[1] ?? "?"
            columns = Set((row[2] ?? "").split(separator: ",").map(String.init))
            isBound = row[3] == "t"
            isWritable = row[4] == "t"
        }
    }

    private static func remedy(_ owner: String, _ user: String) -> String {
        owner == user ? "run swiftlet migrate" : "\(owner)'s own migrations add it, start a newer GoTrue once"
    }

    /// Columns of newer GoTrue versions that the database lacks, as `table.column`.
    private static func missingColumns(_ tables: [String: Table]) -> [String] {
        needed.sorted { $0.key < $1.key }.flatMap { name, columns -> [String] in
            guard let table = tables[name] else { return [] }
            return columns.filter { !table.columns.contains($0) }.map { "\(name).\($0)" }
        } + optional.filter { tables[$0] == nil }
            + (tables["flow_state"]?.columns.contains("auth_code_issued_at") == false
                ? ["flow_state.auth_code_issued_at"] : [])
    }

    /// Tables that only newer versions have.
    private static let optional = ["one_time_tokens", "flow_state"]

    /// The tables that sign-in needs, with the columns that only newer versions have.
    private static let needed: [String: [String]] = [
        "users": ["is_sso_user", "deleted_at", "is_anonymous"],
        "identities": ["provider_id"],
        "sessions": [
            "not_after", "refreshed_at", "user_agent", "ip", "tag", "refresh_token_hmac_key", "refresh_token_counter",
        ],
        "refresh_tokens": ["parent", "session_id"],
        "mfa_amr_claims": [],
    ]

    private static let inventory = """
        SELECT c.relname, pg_get_userbyid(c.relowner),
            (SELECT string_agg(attname, ',') FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
            row_security_active(c.oid),
            has_schema_privilege(n.oid, 'USAGE') AND (
                SELECT bool_and(has_table_privilege(c.oid, privilege))
                FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
            )
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'auth' AND c.relkind IN ('r', 'p')
        """
}
