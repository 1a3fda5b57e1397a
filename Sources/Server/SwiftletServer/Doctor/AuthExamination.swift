import SwiftletPostgres

/// Checks the schema `auth` for sign-in: its tables, this user's privileges, and what an older GoTrue lacks.
struct AuthExamination {
    /// The tables of the schema `auth` by name.
    private let tables: [String: Table]
    /// The role that owns the table `auth.users`.
    private let owner: String
    /// The role that the server connects as.
    private let user: String

    static func findings(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Finding] {
        let user = try connection.query("SELECT current_user").first?.first.flatMap { $0 } ?? "?"
        let tables = try readTables(connection)
        guard let users = tables["users"] else {
            return [.fault("sign-in", "the table auth.users is missing: run swiftlet migrate")]
        }
        return AuthExamination(tables: tables, owner: users.owner, user: user).findings
    }

    private static func readTables(
        _ connection: borrowing BlockingConnection
    ) throws(BlockingConnectionError) -> [String: Table] {
        var tables: [String: Table] = [:]
        for row in try connection.query(inventory) {
            guard let name = row[0] else { continue }
            tables[name] = Table(row)
        }
        return tables
    }

    private var findings: [Finding] {
        let findings = [missingTables, boundTables, closedTables, olderTables].compactMap(\.self)
        guard findings.allSatisfy({ $0.grade != .fault }) else { return findings }
        let good = Finding.good("sign-in", "the schema auth is usable, \(owner == user ? "own" : "\(owner)'s")")
        return findings + [closedChallenges, good].compactMap(\.self)
    }

    // MARK: Checks

    private var missingTables: Finding? {
        let missing = Self.needed.keys.filter { tables[$0] == nil }
        guard !missing.isEmpty else { return nil }
        return .fault("sign-in", "missing: \(list(missing)): \(remedy)")
    }

    /// Tables whose row-level security applies to this user.
    private var boundTables: Finding? {
        let bound = neededNames { $0.isBound }
        guard !bound.isEmpty else { return nil }
        return .fault(
            "sign-in",
            "row policies hide \(list(bound)) from \(user): connect as \(owner), or ALTER ROLE \(user) BYPASSRLS"
        )
    }

    /// Tables that this user has no privileges for.
    private var closedTables: Finding? {
        let closed = neededNames { !$0.isWritable }
        guard !closed.isEmpty else { return nil }
        return .fault(
            "sign-in",
            "\(user) may not read and write \(list(closed)): as \(owner), "
                + "GRANT ALL ON ALL TABLES IN SCHEMA auth TO \(user), and on all sequences"
        )
    }

    private var olderTables: Finding? {
        let lacking = missingColumns
        guard !lacking.isEmpty else { return nil }
        return .note(
            "sign-in",
            "made by an older GoTrue, without \(lacking.joined(separator: ", ")): sign-in does without; "
                + remedy
        )
    }

    /// Sign-in works without the table of challenges, but not as clients with PKCE expect.
    private var closedChallenges: Finding? {
        guard let table = tables[Self.challenges], table.isBound || !table.isWritable else { return nil }
        return .note(
            "sign-in",
            "\(user) may not read and write auth.\(Self.challenges), so links in mails lead to sessions, also for clients "
                + "with PKCE: as \(owner), GRANT ALL ON auth.\(Self.challenges) TO \(user)"
                + (table.isBound ? ", and ALTER ROLE \(user) BYPASSRLS" : "")
        )
    }

    private func neededNames(where isFaulty: (Table) -> Bool) -> [String] {
        tables.filter { (Self.needed[$0.key] != nil || $0.key == Self.tokens) && isFaulty($0.value) }.map(\.key)
    }

    /// The names in the order of the alphabet, with their schema.
    private func list(_ names: [String]) -> String {
        names.sorted().map { "auth.\($0)" }.joined(separator: ", ")
    }

    private var remedy: String {
        owner == user ? "run swiftlet migrate" : "\(owner)'s own migrations add it, start a newer GoTrue once"
    }

    /// Columns of newer GoTrue versions that the database lacks, as `table.column`.
    private var missingColumns: [String] {
        let columns = Self.needed.merging([Self.challenges: Self.challengeColumns]) { $1 }
        return columns.sorted { $0.key < $1.key }.flatMap { name, columns -> [String] in
            guard let table = tables[name] else { return [] }
            return columns.filter { !table.columns.contains($0) }.map { "\(name).\($0)" }
        } + [Self.tokens, Self.challenges].filter { tables[$0] == nil }
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

    /// Tables that only newer versions have.
    private static let (tokens, challenges) = ("one_time_tokens", "flow_state")
    private static let challengeColumns = ["auth_code_issued_at", "authentication_method"]

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
