import SwiftletPostgres

/// The table `swiftlet.migrations`: what was applied, by owner and number.
extension Migrator {
    func prepare(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        try openLedger(connection)
        try execute(connection, "COMMIT")
    }

    /// Begins a transaction in which the ledger is there.
    func openLedger(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        if let fault = try fault(of: connection) { throw .unfit(fault) }
        try begin(connection)
        try createLedger(connection)
        try widenLedger(connection)
        try renameOwners(connection)
    }

    private func createLedger(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        guard try !exists(Self.ledger, connection) else { return }
        if try exists(Self.oldLedger, connection) { return try moveLedger(connection) }
        try execute(
            connection,
            """
            \(Self.createSchema)
            CREATE TABLE swiftlet.migrations (
                owner text NOT NULL,
                number bigint NOT NULL,
                name text NOT NULL,
                checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now(),
                PRIMARY KEY (owner, number)
            );
            ALTER TABLE swiftlet.migrations ENABLE ROW LEVEL SECURITY
            """
        )
    }

    /// Numbers that are times, as in `20240403090422_init.sql`, need more room than the first ledgers have.
    private func widenLedger(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        guard files.contains(where: { $0.number > Int(Int32.max) }) else { return }
        let narrow = try rows(
            connection,
            """
            SELECT FROM pg_attribute WHERE attrelid = to_regclass('\(Self.ledger)') AND attname = 'number'
                AND atttypid = 'integer'::regtype
            """,
            []
        )
        guard !narrow.isEmpty else { return }
        try execute(connection, "ALTER TABLE swiftlet.migrations ALTER COLUMN number TYPE bigint")
    }

    /// Ledgers of version 0.1 lie in `public`, older ones have no owner: server and app shared one line of numbers. Whose
    /// a record is, the name of its file tells.
    private func moveLedger(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        if try !hasOwners(connection) {
            let records = try records(on: connection)
            try execute(connection, "ALTER TABLE public.swiftlet_migrations ADD COLUMN owner text")
            for record in records {
                _ = try rows(
                    connection,
                    "UPDATE public.swiftlet_migrations SET owner = $1 WHERE number = $2",
                    [record.owner, "\(record.number)"]
                )
            }
            try execute(
                connection,
                """
                ALTER TABLE public.swiftlet_migrations
                    ALTER COLUMN owner SET NOT NULL,
                    DROP CONSTRAINT swiftlet_migrations_pkey,
                    ADD CONSTRAINT swiftlet_migrations_pkey PRIMARY KEY (owner, number)
                """
            )
        }
        try execute(
            connection,
            """
            \(Self.createSchema)
            ALTER TABLE public.swiftlet_migrations SET SCHEMA swiftlet;
            ALTER TABLE swiftlet.swiftlet_migrations RENAME TO migrations;
            ALTER TABLE swiftlet.migrations ENABLE ROW LEVEL SECURITY;
            \(Self.moveJobs)
            DELETE FROM swiftlet.migrations WHERE name IN ('0007_login_attempts', '0012_jobs')
            """
        )
    }

    /// `IF NOT EXISTS` would ask for the right to create schemas even where there is one.
    private static let createSchema =
        "DO $$ BEGIN IF to_regnamespace('swiftlet') IS NULL THEN CREATE SCHEMA swiftlet; END IF; END $$;"

    /// The queue of version 0.1 lay in `public`.
    private static let moveJobs = """
        DO $$
        DECLARE
            kind text;
        BEGIN
            FOREACH kind IN ARRAY ARRAY['jobs', 'job_workers', 'job_history', 'job_ticks'] LOOP
                IF to_regclass('public.swiftlet_' || kind) IS NOT NULL THEN
                    EXECUTE format('ALTER TABLE public.%I SET SCHEMA swiftlet', 'swiftlet_' || kind);
                    EXECUTE format('ALTER TABLE swiftlet.%I RENAME TO %I', 'swiftlet_' || kind, kind);
                END IF;
            END LOOP;
            IF to_regclass('swiftlet.swiftlet_jobs_waiting') IS NOT NULL THEN
                ALTER INDEX swiftlet.swiftlet_jobs_waiting RENAME TO jobs_waiting;
                ALTER INDEX swiftlet.swiftlet_jobs_key RENAME TO jobs_key;
                ALTER INDEX swiftlet.swiftlet_job_history_finished RENAME TO job_history_finished;
            END IF;
        END $$;
        """

    /// All files of the server once had one owner, some of which have become an app's.
    private func renameOwners(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        for file in files where file.owner != ServerMigrations.owner {
            _ = try rows(
                connection,
                "UPDATE swiftlet.migrations SET owner = $1 WHERE owner = $2 AND name = $3",
                [file.owner, ServerMigrations.owner, file.name]
            )
        }
    }

    private static let ledger = "swiftlet.migrations"
    private static let oldLedger = "public.swiftlet_migrations"

    private func fault(of connection: borrowing BlockingConnection) throws(MigrationError) -> String? {
        do throws(BlockingConnectionError) {
            return try DatabaseFitness.fault(on: connection)
        } catch {
            throw .database(error)
        }
    }

    struct Record {
        let owner: String
        let number: Int
        let name: String
        let checksum: String
        let time: String
    }

    private struct RecordKey: Hashable {
        let owner: String
        let number: Int
    }

    private func exists(
        _ table: String,
        _ connection: borrowing BlockingConnection
    ) throws(MigrationError) -> Bool {
        try rows(connection, "SELECT to_regclass($1) IS NOT NULL", [table]) == [["t"]]
    }

    private func hasOwners(_ connection: borrowing BlockingConnection) throws(MigrationError) -> Bool {
        let text = """
            SELECT 1 FROM pg_attribute
            WHERE attrelid = 'public.swiftlet_migrations'::regclass AND attname = 'owner' AND NOT attisdropped
            """
        return try !rows(connection, text, []).isEmpty
    }

    /// What the ledger holds, by owner and number. Also of an old one.
    func records(on connection: borrowing BlockingConnection) throws(MigrationError) -> [Record] {
        let isMoved = try exists(Self.ledger, connection)
        let isThere = if isMoved { true } else { try exists(Self.oldLedger, connection) }
        guard isThere else { return [] }
        let text = """
            SELECT to_jsonb(m) ->> 'owner', number, name, checksum,
                   to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            FROM \(isMoved ? Self.ledger : Self.oldLedger) m ORDER BY 1, number
            """
        let owners = Dictionary(files.map { ($0.name, $0.owner) }) { first, _ in first }
        return try rows(connection, text, []).compactMap { row in
            guard let number = row[1].flatMap({ Int($0) }) else { return nil }
            let name = row[2] ?? ""
            let recorded = row[0] == ServerMigrations.owner ? owners[name] ?? ServerMigrations.owner : row[0]
            let owner = recorded ?? owners[name] ?? MigrationFile.application
            return Record(owner: owner, number: number, name: name, checksum: row[3] ?? "", time: row[4] ?? "")
        }
    }

    func entries(on connection: borrowing BlockingConnection) throws(MigrationError) -> [Entry] {
        var recorded: [RecordKey: Record] = [:]
        let records = try records(on: connection)
        for record in records { recorded[RecordKey(owner: record.owner, number: record.number)] = record }
        var entries: [(key: RecordKey, entry: Entry)] = []
        for file in files {
            var state = Entry.State.pending
            let key = RecordKey(owner: file.owner, number: file.number)
            if let record = recorded.removeValue(forKey: key) {
                let checksum = try rows(connection, "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", [file.text])
                let isSame = checksum == [[record.checksum]] && record.name == file.name
                state = isSame ? .applied(record.time) : .edited(record.time)
            }
            entries.append((key, Entry(owner: file.owner, name: file.name, state: state)))
        }
        recorded = recorded.filter { $1.name != Self.formerDevices }
        entries += recorded.map { ($0, Entry(owner: $1.owner, name: $1.name, state: .missing($1.time))) }
        let owners = files.map(\.owner) + records.map(\.owner)
        let places = Dictionary(zip(owners, owners.indices)) { first, _ in first }
        return entries.sorted { first, second in
            let (place, other) = (places[first.key.owner] ?? 0, places[second.key.owner] ?? 0)
            return (place, first.key.number) < (other, second.key.number)
        }.map(\.entry)
    }
}
