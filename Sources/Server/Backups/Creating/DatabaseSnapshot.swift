import SwiftletBlockingPool
import SwiftletFiles
import SwiftletPostgres
import SwiftletStorage

/// The database at one moment, for as long as this transaction is open.
struct DatabaseSnapshot: Sendable {
    /// Programs that are told it see the same rows.
    let id: String
    let facts: SnapshotFacts
    private let session: DatabaseSession

    private static let rowsAtOnce = 10_000

    static func begin(_ url: String, _ threads: BlockingPool) async throws -> DatabaseSnapshot {
        let session = try await DatabaseSession.open(url, threads)
        return try await session.run { connection in
            // A role that row policies bind would otherwise miss rows, and not notice.
            try connection.execute(
                """
                BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
                SET LOCAL idle_in_transaction_session_timeout = 0;
                SET LOCAL statement_timeout = 0;
                SET LOCAL row_security = off;
                SET LOCAL search_path = pg_catalog
                """
            )
            let row =
                try connection.query(
                    """
                    SELECT pg_export_snapshot(), current_setting('server_version'),
                        current_setting('server_version_num')::integer / 10000, current_database(),
                        (\(tableCount)), to_regclass('storage.objects') IS NOT NULL
                    """
                ).first ?? []
            let objects = row.last == "t" ? try connection.query("SELECT count(*) FROM storage.objects").first?[0] : nil
            let facts = SnapshotFacts(
                version: row[1] ?? "",
                major: row[2].flatMap { Int($0) } ?? 0,
                database: row[3] ?? "",
                tables: row[4].flatMap { Int($0) } ?? 0,
                objects: objects.flatMap { Int($0) } ?? 0
            )
            return DatabaseSnapshot(id: row[0] ?? "", facts: facts, session: session)
        }
    }

    /// Tables of the database, without those of PostgreSQL and of extensions.
    static let tableCount = """
        SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e'
            )
        """

    /// The files that rows of `storage.objects` name.
    func files() async throws -> [FileEntry] {
        guard facts.objects > 0 else { return [] }
        return try await session.run { connection in
            try connection.execute(
                """
                DECLARE swiftlet_files NO SCROLL CURSOR FOR
                SELECT version, bucket_id, name, metadata ->> 'size', metadata ->> 'sha256'
                FROM storage.objects WHERE version <> ''
                """
            )
            var entries: [FileEntry] = []
            while true {
                let rows = try connection.query("FETCH \(Self.rowsAtOnce) FROM swiftlet_files")
                for row in rows where row.count == 5 {
                    let version = row[0] ?? ""
                    entries.append(
                        FileEntry(
                            sha256: row[4],
                            size: max(0, row[3].flatMap { Int($0) } ?? 0),
                            key: FileVersion(text: version).key?.text,
                            version: version,
                            bucket: row[1],
                            name: row[2],
                            stamp: nil
                        )
                    )
                }
                if rows.count < Self.rowsAtOnce { return entries }
            }
        }
    }

    /// SQL that makes the roles of the database where they are missing, without passwords.
    func roles() async throws -> String {
        try await session.run { try RoleScript.make($0) }
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing BlockingConnection) throws -> Value
    ) async throws -> Value {
        try await session.run(body)
    }

    func end() async {
        try? await session.run { try $0.execute("COMMIT") }
    }
}
