package import Postgres
internal import Synchronization

/// What the schema `auth` of this database looks like: databases that GoTrue made differ by its version.
///
/// Read on first use, and again when a statement missed a table or a column. Our own migration makes the newest form;
/// a database that GoTrue has made is taken as it is.
package final class AuthSchema: Sendable {
    private let database: Database
    private let known = Mutex<AuthTables?>(nil)

    package init(database: Database) { self.database = database }

    /// What is known, read from the catalog the first time.
    package func tables() async throws(PostgresError) -> AuthTables {
        if let tables = known.withLock({ $0 }) { return tables }
        return try await reload()
    }

    package func columns(of table: String) async throws(PostgresError) -> Set<String> {
        try await tables()[table]
    }

    /// Runs a body that builds its statements by what is known; after a missed table or column (42P01, 42703) the
    /// catalog is read again, and when it says something else, the body runs once more.
    ///
    /// Inside a transaction the miss has ended that transaction: put the whole transaction into the body.
    package func withTables<Value>(_ body: (AuthTables) async throws -> Value) async throws -> Value {
        let tables = try await tables()
        do {
            return try await body(tables)
        } catch let error as PostgresError where error.state == .undefinedTable || error.state == .undefinedColumn {
            let current = try await reload()
            guard current != tables else { throw error }
            return try await body(current)
        }
    }

    /// Reads the catalog now.
    @discardableResult
    package func reload() async throws(PostgresError) -> AuthTables {
        var columns: [String: Set<String>] = [:]
        let rows = try await database.query(
            """
            SELECT c.relname::text AS relation, a.attname::text AS attribute
            FROM pg_catalog.pg_attribute AS a
                JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = 'auth' AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped
            """
        )
        for row in rows {
            columns[try row.decode(String.self, "relation"), default: []].insert(
                try row.decode(String.self, "attribute")
            )
        }
        let tables = AuthTables(columns: columns)
        known.withLock { $0 = tables }
        return tables
    }
}
