import SwiftletPostgres

/// Applies migration files: each in one transaction, and exactly once even if several servers start at the same time.
///
/// Applied files are recorded in `swiftlet.migrations` by owner and number. The advisory lock is taken inside each
/// transaction, so that this also works through a transaction pooler.
package struct Migrator: Sendable {
    private let url: String
    let files: [MigrationFile]

    /// `files` in the order in which they are applied: those that others build on first.
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

        package let owner: String
        package let name: String
        package let state: State

        package var isPending: Bool { state == .pending }
        package var isEdited: Bool { if case .edited = state { true } else { false } }
    }

    /// The state of every migration, by owner in the order of the files, and by number. Changes nothing.
    package func status() throws(MigrationError) -> [Entry] {
        let connection = try connect()
        return try entries(on: connection)
    }

    /// The files that are not applied yet, in order.
    package func pending() throws(MigrationError) -> [MigrationFile] {
        let pending = try status().filter(\.isPending)
        return files.filter { file in pending.contains { $0.owner == file.owner && $0.name == file.name } }
    }

    /// The highest number that the database knows for each owner.
    package func highestNumbers() throws(MigrationError) -> [String: Int] {
        let connection = try connect()
        return try records(on: connection).reduce(into: [:]) { highest, record in
            highest[record.owner] = max(highest[record.owner] ?? 0, record.number)
        }
    }

    /// Applies the pending files in order and returns their names. The first failure ends the run; files before it stay
    /// applied. If an applied file was edited, nothing is applied.
    @discardableResult
    package func apply(progress: (String) -> Void = { _ in }) throws(MigrationError) -> [String] {
        let connection = try connect()
        try prepare(connection)
        let edited = try entries(on: connection).filter(\.isEdited)
        guard edited.isEmpty else { throw .edited(edited.map(\.name)) }
        let adoptions = try findAdoptions(on: connection)
        var applied: [String] = []
        for file in files where try apply(file, adoptions, on: connection) {
            applied.append(file.name)
            progress(file.name)
        }
        if !applied.isEmpty { try complete(connection) }
        return applied
    }

    /// Behind the lock: servers that start at once would make the same index.
    private func complete(_ connection: borrowing BlockingConnection) throws(MigrationError) {
        try begin(connection)
        do throws(MigrationError) {
            try execute(connection, "\(Self.completion); COMMIT")
        } catch {
            rollBack(connection)
            throw error
        }
    }

    /// The server's own indexes that need an extension, which a later file of an app may have made, where this role may
    /// make them; and what tells servers of the change.
    private static let completion = """
        DO $$ BEGIN
            IF has_function_privilege(to_regprocedure('swiftlet.index_accounts()'), 'EXECUTE') THEN
                PERFORM swiftlet.index_accounts();
            END IF;
            IF has_function_privilege(to_regprocedure('swiftlet.index_search()'), 'EXECUTE') THEN
                PERFORM swiftlet.index_search();
            END IF;
        END $$;
        NOTIFY pgrst, 'reload schema'
        """

    // MARK: One file

    /// Returns false if it was already applied, possibly by another server while this one waited for the lock.
    private func apply(
        _ file: MigrationFile,
        _ adoptions: [Adoption],
        on connection: borrowing BlockingConnection
    ) throws(MigrationError) -> Bool {
        try begin(connection)
        let known = try rows(
            connection,
            "SELECT 1 FROM swiftlet.migrations WHERE owner = $1 AND number = $2",
            [file.owner, "\(file.number)"]
        )
        guard known.isEmpty else {
            rollBack(connection)
            return false
        }
        try run(file, adoptions, on: connection) { (connection) throws(BlockingConnectionError) in
            try connection.execute(file.text)
        }
        _ = try rows(
            connection,
            """
            INSERT INTO swiftlet.migrations (owner, number, name, checksum)
            VALUES ($1, $2, $3, encode(sha256(convert_to($4, 'UTF8')), 'hex'))
            """,
            [file.owner, "\(file.number)", file.name, file.text]
        )
        do throws(BlockingConnectionError) {
            // Deferred constraints are checked here.
            try connection.execute("COMMIT")
        } catch {
            throw connection.isBroken ? .unknown(file: file.name, error) : .failed(file: file.name, line: nil, error)
        }
        // Settings of this file must not affect the next one.
        try? connection.execute("DISCARD ALL")
        try execute(connection, Self.searchPathOfNewSessions)
        return true
    }

    /// Runs a file by `body` in the transaction that has begun. Returns whether there are adopted tables, and with them
    /// temporary ones that end with the transaction.
    @discardableResult
    func run(
        _ file: MigrationFile,
        _ adoptions: [Adoption],
        on connection: borrowing BlockingConnection,
        _ body: (borrowing BlockingConnection) throws(BlockingConnectionError) -> Void
    ) throws(MigrationError) -> Bool {
        guard file.hasStatement else { throw .empty(file.name) }
        let isApps = !file.isPlatform && file.owner != MigrationFile.application
        let hasAdopted = isApps ? try adopt(adoptions, on: connection) : false
        try execute(connection, "SAVEPOINT \(Self.savepoint)")
        do throws(BlockingConnectionError) {
            try body(connection)
        } catch {
            throw failure(of: file, error, on: connection)
        }
        try closeFile(file, on: connection)
        if hasAdopted { try execute(connection, Self.restoreAdopted) }
        return hasAdopted
    }

    /// READ COMMITTED, so that statements after the lock see what another server has committed meanwhile.
    func begin(_ connection: borrowing BlockingConnection) throws(MigrationError) {
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
        try execute(connection, Self.searchPathOfNewSessions)
    }

    /// A file may have given the database or the role another one, for the next file as well. What the connection's own
    /// address says goes first.
    private static let searchPathOfNewSessions = """
        SELECT set_config('search_path', newest.path, false) FROM (
            SELECT substr(setting, length('search_path=') + 1) AS path
            FROM pg_db_role_setting, unnest(setconfig) AS setting
            WHERE starts_with(setting, 'search_path=')
                AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
                AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
            ORDER BY setrole <> 0 DESC, setdatabase <> 0 DESC LIMIT 1
        ) AS newest
        WHERE EXISTS (SELECT FROM pg_settings WHERE name = 'search_path' AND source <> 'client')
        """

    private static let savepoint = "swiftlet_migration"

    private func rollBack(_ connection: borrowing BlockingConnection) {
        try? connection.execute("ROLLBACK")
    }

    /// "swiftlet" as a number.
    private static let lock = 0x7377_6966_746c_6574

    // MARK: The connection

    func connect() throws(MigrationError) -> BlockingConnection {
        do throws(BlockingConnectionError) {
            return try BlockingConnection.connect(to: url)
        } catch {
            throw .database(error)
        }
    }

    func rows(
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

    func execute(_ connection: borrowing BlockingConnection, _ text: String) throws(MigrationError) {
        do throws(BlockingConnectionError) {
            try connection.execute(text)
        } catch {
            throw .database(error)
        }
    }
}
