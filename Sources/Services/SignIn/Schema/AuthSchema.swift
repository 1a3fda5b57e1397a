import SwiftletPostgres
import Synchronization

/// The tables and columns of the schema `auth`, which differ between versions of GoTrue.
///
/// Read on first use, again when the server has read its schema anew, and when a statement fails because a table or
/// column is missing or may not be used.
final class AuthSchema: Sendable {
    private let database: AccountDatabase
    private let known = Mutex<Known?>(nil)

    private struct Known {
        let tables: AuthTables
        /// ``Database/schemaReadings`` at that time.
        let readings: Int
    }

    /// Tables that count as missing, because the operator does not want them used.
    private let hidden: Set<String>

    init(_ database: Database, hiding hidden: Set<String> = []) {
        self.database = AccountDatabase(database)
        self.hidden = hidden
    }

    /// The cached tables, read from the catalog if they may have changed.
    func tables() async throws(PostgresError) -> AuthTables {
        if let known = known.withLock({ $0 }), known.readings == database.schemaReadings { return known.tables }
        return try await reload()
    }

    /// Runs `body`, which builds its statements from the tables. After SQLSTATE 42P01, 42703 or 42501 the catalog is
    /// read again, and if it has changed, `body` runs once more.
    ///
    /// The error aborts a transaction, so `body` must contain the whole transaction.
    func withTables<Value>(_ body: (AuthTables) async throws -> Value) async throws -> Value {
        let tables = try await tables()
        do {
            return try await body(tables)
        } catch let error as PostgresError where Self.staleStates.contains(error.state) {
            let current = try await reload()
            guard current != tables else { throw error }
            return try await body(current)
        }
    }

    private static let staleStates: Set<SQLState> = [.undefinedTable, .undefinedColumn, .insufficientPrivilege]

    /// The tables that count only if they can be used: GoTrue's administrator may have granted the others alone, and
    /// sign-in does without.
    private static let dispensable = [
        "flow_state", "mfa_factors", "mfa_challenges", "audit_log_entries", "ended_tokens", "webauthn_credentials",
        "webauthn_challenges", "mfa_recovery_code_sets", "mfa_recovery_codes",
        "provider_grants",
    ]

    /// Reads the catalog.
    @discardableResult
    func reload() async throws(PostgresError) -> AuthTables {
        var columns: [String: Set<String>] = [:]
        let readings = database.schemaReadings
        let rows = try await database.query(
            """
            SELECT c.relname::text AS relation, a.attname::text AS attribute
            FROM pg_catalog.pg_attribute AS a
                JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE (n.nspname = 'auth' OR (n.nspname = 'swiftlet' AND c.relname IN ('ended_tokens', 'provider_grants')))
                AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped
                AND CASE WHEN c.relname = ANY(\(Self.dispensable)) THEN NOT row_security_active(c.oid) AND (
                    SELECT bool_and(has_table_privilege(c.oid, privilege))
                    FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
                ) ELSE true END
            """
        )
        for row in rows {
            columns[try row.decode(String.self, "relation"), default: []].insert(
                try row.decode(String.self, "attribute")
            )
        }
        let tables = AuthTables(columns: columns.filter { !hidden.contains($0.key) })
        known.withLock { $0 = Known(tables: tables, readings: readings) }
        return tables
    }
}
