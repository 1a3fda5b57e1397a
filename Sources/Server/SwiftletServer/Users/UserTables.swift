import SwiftletPostgres

/// The tables with accounts, `auth.…`, over one connection, and the app's with people, tenants and roles if it has them.
///
/// Works with the tables of any GoTrue version: columns that do not exist are left out.
final class UserTables {
    private let connection: BlockingConnection
    /// Table, with its schema → columns.
    private let columns: [String: Set<String>]

    /// Connects and reads the catalog. Throws ``CommandFailure`` if one of the tables that are needed is missing.
    init(_ url: String) throws {
        connection = try BlockingConnection.connect(to: url)
        var columns: [String: Set<String>] = [:]
        let rows = try connection.query(
            """
            SELECT n.nspname || '.' || c.relname, a.attname
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE (n.nspname IN ('auth', 'public') OR (n.nspname = 'swiftlet' AND c.relname = 'ended_tokens'))
                AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped
            """
        )
        for row in rows { columns[row[0] ?? "", default: []].insert(row[1] ?? "") }
        for table in ["auth.users", "auth.identities", "auth.sessions"] where columns[table] == nil {
            throw CommandFailure("the table \(table) is missing: run swiftlet migrate")
        }
        self.columns = columns
    }

    func has(_ table: StaticString) -> Bool { columns[table.description] != nil }

    func has(_ table: StaticString, _ column: StaticString) -> Bool {
        columns[table.description]?.contains(column.description) == true
    }

    /// Whether `public.users` holds people with tenants; an app may keep something else there, or nothing.
    var hasPeople: Bool {
        let columns: [StaticString] = ["email", "tenant_id", "team_id", "role_id", "created_at"]
        return columns.allSatisfy { has("public.users", $0) }
    }

    var hasTenants: Bool { has("public.tenants", "id") }

    var hasRoles: Bool { has("public.roles", "code") && has("public.roles", "level") }

    @discardableResult
    func query(_ text: String, _ parameters: [String?] = []) throws -> [[String?]] {
        try connection.query(text, parameters)
    }

    /// Inserts a row. Columns that the table lacks are left out. Names are literals, so the SQL is safe.
    func insert(_ table: StaticString, _ cells: [(StaticString, String?)]) throws {
        let present = cells.filter { has(table, $0.0) }
        let names = present.map(\.0.description).joined(separator: ", ")
        let parameters = (1...max(1, present.count)).map { "$\($0)" }.joined(separator: ", ")
        try query("INSERT INTO \(table) (\(names)) VALUES (\(parameters))", present.map(\.1))
    }

    /// The ids of the accounts with this name; without those of single sign-on, which may share an address.
    func accounts(_ name: AccountName) throws -> [String] {
        let own: StaticString =
            has("auth.users", "is_sso_user") ? " AND NOT is_sso_user" : ""
        let rows =
            switch name {
            case .email(let email): try query("SELECT id FROM auth.users WHERE lower(email) = $1\(own)", [email])
            case .phone(let digits): try query("SELECT id FROM auth.users WHERE phone = $1", [digits])
            case .id(let id): try query("SELECT id FROM auth.users WHERE id = $1::uuid", [id])
            }
        return rows.compactMap { $0[0] }
    }

    /// Whether there is such a tenant; without a table of tenants any name is one.
    func has(tenant: String) throws -> Bool {
        guard hasTenants else { return true }
        return try !query("SELECT 1 FROM public.tenants WHERE id::text = $1", [tenant]).isEmpty
    }

    /// Runs `body` in a part of the transaction, which an error rolls back alone.
    @discardableResult
    func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.execute("SAVEPOINT part")
        do {
            let value = try body()
            try connection.execute("RELEASE part")
            return value
        } catch {
            try connection.execute("ROLLBACK TO part; RELEASE part")
            throw error
        }
    }

    /// Runs `body` in a transaction, which an error rolls back, and a rehearsal too.
    func inTransaction<Value>(commits: Bool = true, _ body: () throws -> Value) throws -> Value {
        try connection.execute("BEGIN")
        do {
            let value = try body()
            try connection.execute(commits ? "COMMIT" : "ROLLBACK")
            return value
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }
}
