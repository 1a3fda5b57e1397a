import Postgres

/// Applies migration files: each in one transaction, and exactly once even if several servers start at the same time.
///
/// Applied files are recorded in `swiftlet_migrations`. The advisory lock is taken inside each transaction, so that
/// this also works through a transaction pooler.
package struct Migrator: Sendable {
    private let url: String
    private let files: [MigrationFile]

    package init(url: String, files: [MigrationFile]) {
        self.url = url
        self.files = files
    }

    /// One migration and its state.
    package struct Entry: Equatable, Sendable {
        package enum State: Equatable, Sendable {
            case pending
            /// When, in UTC.
            case applied(String)
            /// The file has changed since it was applied.
            case edited(String)
            /// Applied, but there is no such file: the database is newer than this checkout.
            case missing(String)
        }

        package let name: String
        package let state: State

        package var isPending: Bool { state == .pending }
        package var isEdited: Bool { if case .edited = state { true } else { false } }
    }

    /// The state of every migration, by number. Changes nothing.
    package func status() throws(MigrationError) -> [Entry] {
        let connection = try connect()
        return try entries(on: connection)
    }

    /// The files that are not applied yet, by number.
    package func pending() throws(MigrationError) -> [MigrationFile] {
        let names = Set(try status().filter(\.isPending).map(\.name))
        return files.filter { names.contains($0.name) }
    }

    /// Applies the pending files in order and returns their names. The first failure ends the run; files before it stay
    /// applied. If an applied file was edited, nothing is applied.
    @discardableResult
    package func apply(progress: (String) -> Void = { _ in }) throws(MigrationError) -> [String] {
        let connection = try connect()
        try prepare(connection)
        let edited = try entries(on: connection).filter(\.isEdited)
        guard edited.isEmpty else { throw .edited(edited.map(\.name)) }
        var applied: [String] = []
        for file in files where try apply(file, on: connection) {
            applied.append(file.name)
            progress(file.name)
        }
        if !applied.isEmpty { try execute(connection, "NOTIFY pgrst, 'reload schema'") }
        return applied
    }

    // MARK: One file

    /// Returns false if it was already applied, possibly by another server while this one waited for the lock.
    private func apply(
        _ file: MigrationFile,
        on connection: borrowing BlockingConnection
    ) throws(MigrationError) -> Bool {
        try begin(connection)
        let known = try rows(connection, "SELECT 1 FROM swiftlet_migrations WHERE number = $1", ["\(file.number)"])
        guard known.isEmpty else {
            rollBack(connection)
            return false
        }
        try execute(connection, "SAVEPOINT \(Self.savepoint)")
        do throws(BlockingConnectionError) {
            try connection.execute(file.text)
        } catch {
            throw failure(of: file, error, on: connection)
        }
        try closeFile(file, on: connection)
        _ = try rows(
            connection,
            """
            INSERT INTO swiftlet_migrations (number, name, checksum)
            VALUES ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'))
            """,
            ["\(file.number)", file.name, file.text]
        )
        do throws(BlockingConnectionError) {
            // Deferred constraints are checked here.
            try connection.execute("COMMIT")
        } catch {
            throw connection.isBroken ? .unknown(file: file.name, error) : .failed(file: file.name, line: nil, error)
        }
        // Settings of this file must not affect the next one.
        try? connection.execute("DISCARD ALL")
        return true
    }

    /// READ COMMITTED, so that statements after the lock see what another server has committed meanwhile.
    private func begin(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        try execute(
            connection,
            """
            BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
            SELECT pg_advisory_xact_lock(\(Self.lock))
            """
        )
    }

    /// Undoes the file that has failed. Where it has ended the transaction itself, the savepoint is gone.
    private func failure(
        of file: MigrationFile,
        _ error: BlockingConnectionError,
        on connection: borrowing BlockingConnection
    ) -> MigrationError {
        if connection.isBroken { return .unknown(file: file.name, error) }
        let isWhole = (try? connection.execute("ROLLBACK TO SAVEPOINT \(Self.savepoint)")) != nil
        rollBack(connection)
        guard isWhole else { return .endsTransaction(file: file.name) }
        return .failed(file: file.name, line: error.position.map { file.line(at: $0) }, error)
    }

    /// Undoes what the file has changed for the session, such as the search path and the role.
    /// Throws where it has ended the transaction.
    private func closeFile(
        _ file: MigrationFile,
        on connection: borrowing BlockingConnection
    ) throws(MigrationError) {
        do throws(BlockingConnectionError) {
            try connection.execute("RELEASE SAVEPOINT \(Self.savepoint)")
        } catch {
            if connection.isBroken { throw .unknown(file: file.name, error) }
            rollBack(connection)
            throw .endsTransaction(file: file.name)
        }
        try execute(connection, "RESET SESSION AUTHORIZATION; RESET ALL")
    }

    private static let savepoint = "swiftlet_migration"

    private func rollBack(_ connection: borrowing BlockingConnection) {
        try? connection.execute("ROLLBACK")
    }

    /// "swiftlet" as a number.
    private static let lock = 0x7377_6966_746c_6574

    // MARK: The record

    private func prepare(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        if let fault = try fault(of: connection) { throw .unfit(fault) }
        try begin(connection)
        try execute(
            connection,
            """
            CREATE TABLE IF NOT EXISTS swiftlet_migrations (
                number integer PRIMARY KEY,
                name text NOT NULL,
                checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now()
            );
            COMMIT
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

    private func entries(on connection: borrowing BlockingConnection) throws(MigrationError) -> [Entry] {
        let exists = try rows(connection, "SELECT to_regclass('swiftlet_migrations') IS NOT NULL", [])
        guard exists == [["t"]] else { return files.map { Entry(name: $0.name, state: .pending) } }
        var recorded: [Int: (name: String, checksum: String, time: String)] = [:]
        let text = """
            SELECT number, name, checksum, to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            FROM swiftlet_migrations ORDER BY number
            """
        for row in try rows(connection, text, []) {
            guard let number = row[0].flatMap({ Int($0) }) else { continue }
            recorded[number] = (row[1] ?? "", row[2] ?? "", row[3] ?? "")
        }
        var entries: [(number: Int, Entry)] = []
        for file in files {
            guard let record = recorded.removeValue(forKey: file.number) else {
                entries.append((file.number, Entry(name: file.name, state: .pending)))
                continue
            }
            let checksum = try rows(connection, "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", [file.text])
            let isSame = checksum == [[record.checksum]] && record.name == file.name
            entries.append(
                (file.number, Entry(name: file.name, state: isSame ? .applied(record.time) : .edited(record.time)))
            )
        }
        entries += recorded.map { ($0.key, Entry(name: $0.value.name, state: .missing($0.value.time))) }
        return entries.sorted { $0.number < $1.number }.map { $1 }
    }

    // MARK: The connection

    private func connect() throws(MigrationError) -> BlockingConnection {
        do throws(BlockingConnectionError) {
            return try BlockingConnection.connect(to: url)
        } catch {
            throw .database(error)
        }
    }

    private func rows(
        _ connection: borrowing BlockingConnection,
        _ text: String,
        _ parameters: [String?]
    ) throws(MigrationError) -> [[String?]] {
        do throws(BlockingConnectionError) {
            return try connection.query(text, parameters)
        } catch {
            throw .database(error)
        }
    }

    private func execute(_ connection: borrowing BlockingConnection, _ text: String) throws(MigrationError) {
        do throws(BlockingConnectionError) {
            try connection.execute(text)
        } catch {
            throw .database(error)
        }
    }
}
