package import SwiftletPostgres

/// What is published and how it is read, as an operator sees and changes it.
package struct ChangeDirectory: ~Copyable {
    private let connection: BlockingConnection

    package init(_ url: String) throws(BlockingConnectionError) { connection = try BlockingConnection.connect(to: url) }

    /// Publishes a table. Its whole rows are logged before their changes, unless `keyOnly`: only so is known who saw a row
    /// that is deleted. Returns its name with the schema; nil if there is no such table.
    package func add(_ table: String, keyOnly: Bool) throws(BlockingConnectionError) -> String? {
        guard let name = try resolve(table) else { return nil }
        let publication = ChangeReader.publication
        if try connection.query("SELECT 1 FROM pg_publication WHERE pubname = $1", [publication]).isEmpty {
            try connection.execute("CREATE PUBLICATION \(publication)")
        }
        let isPublished = try connection.query(
            """
            SELECT 1 FROM pg_publication_tables
            WHERE pubname = $1 AND quote_ident(schemaname) || '.' || quote_ident(tablename) = $2
            """,
            [publication, name]
        )
        var script = keyOnly ? "" : "ALTER TABLE \(name) REPLICA IDENTITY FULL;"
        if isPublished.isEmpty { script += "ALTER PUBLICATION \(publication) ADD TABLE \(name);" }
        if !script.isEmpty { try connection.execute(script) }
        try wake()
        return name
    }

    /// Publishes a table no more. Returns its name; nil if it is not published.
    package func remove(_ table: String) throws(BlockingConnectionError) -> String? {
        guard let name = try resolve(table) else { return nil }
        let isPublished = try connection.query(
            """
            SELECT 1 FROM pg_publication_tables
            WHERE pubname = $1 AND quote_ident(schemaname) || '.' || quote_ident(tablename) = $2
            """,
            [ChangeReader.publication, name]
        )
        guard !isPublished.isEmpty else { return nil }
        try connection.execute("ALTER PUBLICATION \(ChangeReader.publication) DROP TABLE \(name)")
        return name
    }

    /// Drops the publication, and the slot with what PostgreSQL keeps for it. Clients are told to read anew once it is on
    /// again.
    package func turnOff() throws(BlockingConnectionError) {
        try connection.execute("DROP PUBLICATION IF EXISTS \(ChangeReader.publication)")
        // A reader that comes back in between finds nothing to read.
        for _ in 0..<100 {
            let left = try connection.query(
                """
                SELECT slot_name, CASE WHEN active THEN pg_terminate_backend(active_pid) END FROM pg_replication_slots
                WHERE slot_name = $1
                """,
                [try slotName()]
            )
            if left.isEmpty { break }
            _ = try connection.query(
                "SELECT pg_sleep(0.05), pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
                    + "WHERE slot_name = $1 AND NOT active",
                [try slotName()]
            )
        }
    }

    package static let tableHeader = ["TABLE", "OLD ROWS", "ROW SECURITY"]

    /// The published tables, cells for ``tableHeader``.
    package func tables() throws(BlockingConnectionError) -> [[String]] {
        try connection.query(
            """
            SELECT published.schemaname || '.' || published.tablename,
                CASE table_.relreplident WHEN 'f' THEN 'whole' WHEN 'n' THEN 'nothing' ELSE 'key' END,
                CASE WHEN table_.relrowsecurity THEN 'on' ELSE 'off' END
            FROM pg_publication_tables AS published
            JOIN pg_class AS table_
                ON table_.oid = to_regclass(quote_ident(schemaname) || '.' || quote_ident(tablename))
            WHERE published.pubname = $1 ORDER BY 1
            """,
            [ChangeReader.publication]
        ).map { $0.map { $0 ?? "-" } }
    }

    /// Names and values about the slot and the log.
    package func state() throws(BlockingConnectionError) -> [(name: String, value: String)] {
        let slots = try connection.query(
            """
            SELECT slot_name, coalesce(wal_status, '-'), CASE WHEN active THEN 'read' ELSE 'not read' END,
                pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)),
                pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn))
            FROM pg_replication_slots WHERE slot_name = $1
            """,
            [try slotName()]
        )
        var values: [(name: String, value: String)] = []
        if let slot = slots.first {
            values += zip(["slot", "slot's log", "slot is", "kept for it", "behind"], slot).map { ($0, $1 ?? "-") }
        } else {
            values.append(("slot", "none"))
        }
        guard try connection.query("SELECT to_regclass('swiftlet.changes') IS NULL") != [["t"]] else {
            return values + [("log", "its tables are missing: run swiftlet migrate")]
        }
        let logs = try connection.query(
            """
            SELECT (SELECT count(*) FROM swiftlet.changes),
                (SELECT pg_size_pretty(sum(pg_total_relation_size(inhrelid))) FROM pg_inherits
                    WHERE inhparent = 'swiftlet.changes'::regclass),
                coalesce((SELECT to_char(committed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') FROM swiftlet.changes
                    ORDER BY lsn, index LIMIT 1), '-')
            """
        )
        return values
            + zip(["changes in the log", "size of the log", "oldest"], logs.first ?? []).map { ($0, $1 ?? "-") }
    }

    private func slotName() throws(BlockingConnectionError) -> String {
        let rows = try connection.query("SELECT oid FROM pg_database WHERE datname = current_database()")
        return ReplicationSlot.name(database: rows.first.flatMap { $0[0] } ?? "")
    }

    /// The quoted name of a table with its schema.
    private func resolve(_ table: String) throws(BlockingConnectionError) -> String? {
        try connection.query(
            """
            SELECT quote_ident(schema_.nspname) || '.' || quote_ident(table_.relname) FROM pg_class AS table_
            JOIN pg_namespace AS schema_ ON schema_.oid = table_.relnamespace
            WHERE table_.oid = to_regclass($1) AND table_.relkind IN ('r', 'p')
            """,
            [table]
        ).first.flatMap { $0[0] }
    }

    /// Lets the servers look at once.
    private func wake() throws(BlockingConnectionError) {
        try connection.query("SELECT pg_notify('swiftlet_changes', '')")
    }
}
