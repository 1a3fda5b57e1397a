import Postgres

/// The table `swiftlet_migrations`: what was applied, by owner and number.
extension Migrator {
    func prepare(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        if let fault = try fault(of: connection) { throw .unfit(fault) }
        try begin(connection)
        try createLedger(connection)
        try execute(connection, "COMMIT")
    }

    /// Older ledgers have no owner: server and app shared one line of numbers. Whose a record is, the name of its file
    /// tells.
    private func createLedger(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        guard try exists("swiftlet_migrations", connection) else {
            return try execute(
                connection,
                """
                CREATE TABLE swiftlet_migrations (
                    owner text NOT NULL,
                    number integer NOT NULL,
                    name text NOT NULL,
                    checksum text NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT now(),
                    PRIMARY KEY (owner, number)
                )
                """
            )
        }
        guard try !hasOwners(connection) else { return }
        let records = try records(on: connection)
        try execute(connection, "ALTER TABLE swiftlet_migrations ADD COLUMN owner text")
        for record in records {
            _ = try rows(
                connection,
                "UPDATE swiftlet_migrations SET owner = $1 WHERE number = $2",
                [record.owner, "\(record.number)"]
            )
        }
        try execute(
            connection,
            """
            ALTER TABLE swiftlet_migrations
                ALTER COLUMN owner SET NOT NULL,
                DROP CONSTRAINT swiftlet_migrations_pkey,
                ADD PRIMARY KEY (owner, number)
            """
        )
    }

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
            WHERE attrelid = 'swiftlet_migrations'::regclass AND attname = 'owner' AND NOT attisdropped
            """
        return try !rows(connection, text, []).isEmpty
    }

    /// What the ledger holds, by owner and number. Also of one without owners.
    func records(on connection: borrowing BlockingConnection) throws(MigrationError) -> [Record] {
        guard try exists("swiftlet_migrations", connection) else { return [] }
        let text = """
            SELECT to_jsonb(m) ->> 'owner', number, name, checksum,
                   to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            FROM swiftlet_migrations m ORDER BY 1, number
            """
        let owners = Dictionary(files.map { ($0.name, $0.owner) }) { first, _ in first }
        return try rows(connection, text, []).compactMap { row in
            guard let number = row[1].flatMap({ Int($0) }) else { return nil }
            let name = row[2] ?? ""
            let owner = row[0] ?? owners[name] ?? MigrationFile.application
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
        entries += recorded.map { ($0, Entry(owner: $1.owner, name: $1.name, state: .missing($1.time))) }
        let owners = files.map(\.owner) + records.map(\.owner)
        let places = Dictionary(zip(owners, owners.indices)) { first, _ in first }
        return entries.sorted { first, second in
            let (place, other) = (places[first.key.owner] ?? 0, places[second.key.owner] ?? 0)
            return (place, first.key.number) < (other, second.key.number)
        }.map(\.entry)
    }
}
