import SwiftletPostgres

/// Checks what telling changes of rows needs: settings of PostgreSQL, the right to replicate, the slot, and what is logged
/// of old rows.
struct RealtimeExamination: Sendable {
    /// This server has a connection that can replicate.
    private let reads: Bool

    init(reads: Bool) { self.reads = reads }

    func findings(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Finding] {
        let row =
            try connection.query(
                """
                SELECT (SELECT count(*) FROM pg_publication_tables WHERE pubname = 'supabase_realtime'),
                    current_setting('wal_level'), current_user,
                    (SELECT rolsuper OR rolreplication FROM pg_roles WHERE rolname = current_user)
                        OR EXISTS (SELECT 1 FROM pg_roles WHERE rolname IN ('rds_replication', 'cloudsqlsuperuser')
                            AND pg_has_role(current_user, oid, 'MEMBER')),
                    current_setting('max_replication_slots')::integer - (SELECT count(*) FROM pg_replication_slots),
                    (SELECT setting FROM pg_settings WHERE name = 'max_slot_wal_keep_size'),
                    (SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'swiftlet_realtime_'
                        || (SELECT oid FROM pg_database WHERE datname = current_database())),
                    (SELECT wal_status FROM pg_replication_slots WHERE slot_name = 'swiftlet_realtime_'
                        || (SELECT oid FROM pg_database WHERE datname = current_database()))
                """
            ).first ?? []
        guard row.count == 8, let tables = row[0], tables != "0" else {
            return [.good("realtime", "no table is published (swiftlet realtime add)")]
        }
        guard reads else {
            let fault = "a pooler passes no replication on: set DATABASE_DIRECT_URL, or let another server read"
            return [.note("realtime", fault)]
        }
        var findings: [Finding] = []
        if row[1] != "logical" {
            findings.append(
                .fault(
                    "realtime",
                    "wal_level is \(row[1] ?? "unknown"): ALTER SYSTEM SET wal_level = logical, and restart PostgreSQL "
                        + "(RDS: rds.logical_replication=1; Cloud SQL: cloudsql.logical_decoding=on)"
                )
            )
        }
        if row[3] != "t" {
            let user = row[2] ?? "the server's role"
            findings.append(
                .fault(
                    "realtime",
                    "\(user) may not replicate: ALTER ROLE \(user) REPLICATION (RDS: GRANT rds_replication)"
                )
            )
        }
        if row[6] == "0", row[4].flatMap({ Int($0) }) ?? 0 <= 0 {
            findings.append(.fault("realtime", "no replication slot is free: raise max_replication_slots"))
        }
        if row[7] == "lost" {
            findings.append(.note("realtime", "the slot was lost: the reader makes a new one, and clients read anew"))
        }
        if row[5] == "-1" {
            findings.append(
                .fault(
                    "realtime disk",
                    "without a server that reads, the log for the slot fills the disk: "
                        + "ALTER SYSTEM SET max_slot_wal_keep_size = '1GB'"
                )
            )
        }
        if findings.isEmpty {
            findings.append(.good("realtime", "changes of \(tables == "1" ? "1 table" : "\(tables) tables")"))
        }
        return try findings + identities(connection)
    }

    /// Tables whose deletes cannot be told, or whose updates PostgreSQL refuses.
    private func identities(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Finding] {
        let rows = try connection.query(
            """
            SELECT table_.oid::regclass::text, table_.relrowsecurity, table_.relreplident = 'n' OR
                table_.relreplident = 'd' AND NOT EXISTS (
                    SELECT 1 FROM pg_index WHERE indrelid = table_.oid AND indisprimary
                )
            FROM pg_publication_tables AS published
            JOIN pg_class AS table_
                ON table_.oid = to_regclass(quote_ident(schemaname) || '.' || quote_ident(tablename))
            WHERE published.pubname = 'supabase_realtime' AND table_.relreplident <> 'f' ORDER BY 1
            """
        )
        let bare = rows.filter { $0[2] == "t" }.compactMap { $0[0] }
        let keyed = rows.filter { $0[1] == "t" && $0[2] != "t" }.compactMap { $0[0] }
        var findings: [Finding] = []
        if !bare.isEmpty {
            let names = bare.joined(separator: ", ")
            findings.append(
                .fault(
                    "realtime tables",
                    "PostgreSQL refuses updates of \(names): give a primary key, or REPLICA IDENTITY FULL"
                )
            )
        }
        if !keyed.isEmpty {
            let names = keyed.joined(separator: ", ")
            findings.append(
                .note(
                    "realtime tables",
                    "deletes in \(names) are told to nobody: swiftlet realtime add, for whole old rows"
                )
            )
        }
        return findings
    }
}
