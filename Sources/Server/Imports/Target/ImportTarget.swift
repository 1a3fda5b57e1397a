import SwiftletBackups
import SwiftletPostgres

/// The database that a project is imported into.
final class ImportTarget {
    let connection: BlockingConnection
    let program: ProgramConnection
    let major: Int

    init(_ url: String) throws {
        program = try ProgramConnection(url)
        connection = try BlockingConnection.connect(to: url)
        try connection.execute(ProjectDatabase.settings)
        let version = try connection.query("SELECT current_setting('server_version_num')::integer / 10000")
        major = version.first?[0].flatMap { Int($0) } ?? 0
    }

    enum State: Equatable {
        case empty
        /// The import of this project, which has broken off.
        case begun(source: String)
        case finished(source: String, at: String)
        /// The first few things that are there.
        case filled([String])
    }

    func state() throws -> State {
        if try has("swiftlet.imports"),
            let row = try connection.query(
                "SELECT source, to_char(finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') FROM swiftlet.imports"
            ).first
        {
            guard let time = row[1] else { return .begun(source: row[0] ?? "") }
            return .finished(source: row[0] ?? "", at: "\(time) UTC")
        }
        var found = try connection.query(Self.contents).compactMap { $0[0] }
        for table in ["auth.users", "storage.buckets", "storage.objects"] where try has(table) {
            if try !connection.query("SELECT 1 FROM \(table) LIMIT 1").isEmpty { found.append("rows of \(table)") }
        }
        return found.isEmpty ? .empty : .filled(found)
    }

    /// Has all other imports into this database wait outside. Throws ``ImportError/refused(_:)`` if there is one.
    func lock() throws {
        guard try connection.query("SELECT pg_try_advisory_lock(\(Self.lockNumber))") == [["t"]] else {
            throw ImportError.refused("another import into this database is running")
        }
    }

    func begin(_ source: String) throws {
        try connection.execute(ImportLedger.tables)
        try connection.query("INSERT INTO swiftlet.imports (source) VALUES ($1) ON CONFLICT DO NOTHING", [source])
    }

    func finish() throws { try connection.execute("UPDATE swiftlet.imports SET finished_at = now()") }

    /// What was noted of the step; nil if it is not done.
    func detail(of step: String) throws -> String? {
        try connection.query("SELECT detail FROM swiftlet.import_steps WHERE step = $1", [step]).first?[0]
    }

    /// Runs the statements and notes the step, all or nothing, unless it is done.
    func once(_ step: String, _ statements: () throws -> [String]) throws {
        guard try detail(of: step) == nil else { return }
        let statements = try statements()
        try connection.execute("BEGIN")
        do {
            for statement in statements { try connection.execute(statement) }
            try connection.execute(ImportLedger.note(step))
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    func has(_ table: String) throws -> Bool {
        try connection.query("SELECT to_regclass($1) IS NOT NULL", [table]) == [["t"]]
    }

    /// "imports" as a number.
    private static let lockNumber = 0x696d_706f_7274_73

    /// The server's own schemas do not count, nor do its functions in public.
    private static let contents = """
        SELECT name FROM (
            SELECT n.nspname || '.' || c.relname AS name, n.nspname, c.relname AS own,
                'pg_catalog.pg_class'::pg_catalog.regclass AS class, c.oid
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind <> 'i'
            UNION ALL
            SELECT n.nspname || '.' || p.proname || '()', n.nspname, p.proname,
                'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid
            FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        ) AS made
        WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'auth', 'storage', 'realtime', 'swiftlet')
            AND NOT (nspname = 'public' AND own ~ '^swiftlet_')
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_depend d WHERE d.classid = class AND d.objid = made.oid AND d.deptype = 'e'
            )
        ORDER BY name LIMIT 5
        """
}
