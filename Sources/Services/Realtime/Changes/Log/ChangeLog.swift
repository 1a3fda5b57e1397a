import SwiftletJSON
import SwiftletPostgres

/// The tables of the log: `swiftlet.changes` and `swiftlet.change_stream`.
struct ChangeLog: Sendable {
    /// Wakes the other servers. Nobody but the reader sends it: those who notify wait for each other.
    static let channel: StaticString = "swiftlet_changes"

    let database: Database

    /// What the log holds.
    struct State: Equatable, Sendable {
        let epoch: Int
        /// nil while no slot has been made, or one is being made.
        let floor: ChangePosition?
        let last: ChangePosition
    }

    /// One row, as the reader writes it.
    struct Entry: Sendable {
        let commit: LogSequenceNumber
        let index: Int
        let transaction: UInt32
        /// Microseconds since 2000-01-01.
        let committedAt: Int64
        let relation: UInt32
        let operation: LoggedChange.Operation
        let new: String?
        let old: String?
        let oldIsWhole: Bool

        var bytes: Int { 64 + (new?.utf8.count ?? 0) + (old?.utf8.count ?? 0) }
    }

    // MARK: - Reading

    func state() async throws(PostgresError) -> State {
        try Self.readState(try await database.query(Self.stateStatement, .none))
    }

    struct Page: Sendable {
        let changes: [LoggedChange]
        let state: State
        let isFull: Bool
    }

    /// The changes behind a position of the present epoch. What was dropped meanwhile shows in the state, which is read
    /// behind them.
    func page(after position: ChangePosition, limit: Int = 500) async throws(PostgresError) -> Page {
        var parameters = Parameters()
        parameters.append(position.commit.description)
        parameters.append(position.index)
        parameters.append(limit)
        let pair = try await database.queryPair(Self.pageStatement, parameters, Self.stateStatement, .none)
        let state = try Self.readState(pair.second)
        var changes: [LoggedChange] = []
        let count = pair.first.count
        for row in 0..<count {
            guard let change = Self.readChange(pair.first, row, epoch: state.epoch) else { continue }
            changes.append(change)
        }
        return Page(changes: changes, state: state, isFull: count >= limit)
    }

    private static let stateStatement = Statement(
        """
        SELECT epoch, floor_lsn, floor_index, last_lsn, last_index FROM swiftlet.change_stream
        """,
        isReadOnly: true
    )

    private static let pageStatement = Statement(
        """
        SELECT lsn, index, operation, relation,
            to_char(committed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), new_row, old_row, old_is_whole
        FROM swiftlet.changes WHERE (lsn, index) > ($1::pg_lsn, $2::integer)
        ORDER BY lsn, index LIMIT $3::integer
        """,
        isReadOnly: true
    )

    private static func readState(_ rows: borrowing Rows) throws(PostgresError) -> State {
        guard rows.count == 1, let epoch = rows.text(0, 0).flatMap({ Int($0) }),
            let last = rows.text(0, 3).flatMap({ LogSequenceNumber($0) }),
            let lastIndex = rows.text(0, 4).flatMap({ Int($0) })
        else {
            throw PostgresError(kind: .decoding, state: .invalidTextRepresentation, message: "the log has no state")
        }
        let floor = rows.text(0, 1).flatMap { LogSequenceNumber($0) }
        let floorIndex = rows.text(0, 2).flatMap { Int($0) } ?? 0
        return State(
            epoch: epoch,
            floor: floor.map { ChangePosition(epoch: epoch, commit: $0, index: floorIndex) },
            last: ChangePosition(epoch: epoch, commit: last, index: lastIndex)
        )
    }

    private static func readChange(_ rows: borrowing Rows, _ row: Int, epoch: Int) -> LoggedChange? {
        guard let commit = rows.text(row, 0).flatMap({ LogSequenceNumber($0) }),
            let index = rows.text(row, 1).flatMap({ Int($0) }),
            let operation = rows.text(row, 2)?.first.flatMap({ LoggedChange.Operation(rawValue: $0) }),
            let relation = rows.text(row, 3).flatMap({ UInt32($0) })
        else { return nil }
        return LoggedChange(
            position: ChangePosition(epoch: epoch, commit: commit, index: index),
            operation: operation,
            relation: relation,
            committedAt: rows.text(row, 4) ?? "",
            new: rows.json(row, 5)?.object,
            old: rows.json(row, 6)?.object,
            oldIsWhole: rows.text(row, 7) == "t"
        )
    }

    // MARK: - Writing

    /// Adds the entries, which are behind all that are there, durably. False when another reader has taken over, or when
    /// the primary is not on the timeline that they were read on: it may not have those rows.
    func append(_ entries: [Entry], epoch: Int, timeline: Int? = nil) async throws(PostgresError) -> Bool {
        guard let last = entries.last else { return true }
        var parameters = Parameters(minimumCapacity: 4096)
        parameters.append(last.commit.description)
        parameters.append(last.index)
        parameters.append(entries.reduce(0) { $0 + $1.bytes })
        parameters.append(epoch)
        parameters.append(array: entries.map(\.commit.description))
        parameters.append(array: entries.map(\.index.description))
        parameters.append(array: entries.map(\.transaction.description))
        parameters.append(array: entries.map(\.committedAt.description))
        parameters.append(array: entries.map(\.relation.description))
        parameters.append(array: entries.map { String($0.operation.rawValue) })
        parameters.append(array: entries.map(\.new))
        parameters.append(array: entries.map(\.old))
        parameters.append(array: entries.map { $0.oldIsWhole ? "t" : "f" })
        parameters.append(timeline.map { String($0) })
        let boxes = try await database.runIsolated([
            StatementCall(Self.makeDurable, .none), StatementCall(Self.appendStatement, parameters),
            StatementCall(Self.notify, .none),
        ])
        guard boxes.count == 3 else { throw .connectionLostAfterSending }
        let rows = try boxes[1].take()
        return rows.text(0, 0) == String(entries.count)
    }

    private static let makeDurable = Statement("SELECT set_config('synchronous_commit', 'on', true)", isReadOnly: false)

    private static let notify = Statement("SELECT pg_notify('swiftlet_changes', '')", isReadOnly: false)

    private static let appendStatement = Statement(
        """
        WITH stream AS (
            UPDATE swiftlet.change_stream
            SET last_lsn = $1::pg_lsn, last_index = $2::integer, part_bytes = part_bytes + $3::bigint
            WHERE epoch = $4::bigint AND floor_lsn IS NOT NULL AND (last_lsn, last_index) < ($1::pg_lsn, $2::integer)
                -- The name of a file of the log begins with its timeline.
                AND CASE WHEN $14::integer IS NOT NULL THEN
                    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer = $14::integer
                    ELSE true END
            RETURNING part
        ), added AS (
            INSERT INTO swiftlet.changes (
                lsn, index, part, transaction, committed_at, relation, operation, new_row, old_row, old_is_whole
            )
            SELECT entry.lsn, entry.index, stream.part, entry.transaction,
                timestamptz '2000-01-01 00:00:00+00' + entry.microseconds * interval '1 microsecond',
                entry.relation, entry.operation, entry.new_row, entry.old_row, entry.old_is_whole
            FROM stream, unnest(
                $5::pg_lsn[], $6::integer[], $7::bigint[], $8::bigint[], $9::oid[], $10::"char"[], $11::json[],
                $12::json[], $13::boolean[]
            ) AS entry (
                lsn, index, transaction, microseconds, relation, operation, new_row, old_row, old_is_whole
            )
            RETURNING 1
        )
        SELECT count(*) FROM added
        """,
        isReadOnly: false
    )

    /// Goes on to the next table of the ring if the present one is full or old, and forgets what that has.
    func rotate(_ settings: ChangeSettings) async throws(PostgresError) {
        do {
            try await database.transaction { transaction in
                let bytes = settings.maximumLogBytes / 15
                let milliseconds = Int(settings.retention.components.seconds) * 1000 / 15
                let due = try await transaction.query(
                    """
                    SELECT (part + 1) % 16 AS next FROM swiftlet.change_stream
                    WHERE part_bytes >= \(bytes)
                        OR part_bytes > 0 AND part_since < clock_timestamp() - \(milliseconds) * interval '1 millisecond'
                    FOR UPDATE
                    """
                )
                guard let next = due.first?["next"].flatMap({ Int($0) }), Self.truncations.indices.contains(next) else {
                    return
                }
                // What is dropped lies before all that the next but one holds.
                _ = try await transaction.query(
                    """
                    UPDATE swiftlet.change_stream SET part = \(next), part_since = clock_timestamp(), part_bytes = 0,
                        (floor_lsn, floor_index) = (
                            SELECT dropped.lsn, dropped.index FROM (
                                SELECT lsn, index FROM swiftlet.changes WHERE part = \(next)
                                UNION ALL SELECT floor_lsn, floor_index
                            ) AS dropped (lsn, index) ORDER BY lsn DESC, index DESC LIMIT 1
                        )
                    """
                )
                _ = try await transaction.query(Self.truncations[next])
            }
        } catch let error as PostgresError {
            throw error
        } catch {
            throw .cancelled
        }
    }

    private static let truncations: [SQL] = [
        "TRUNCATE swiftlet.changes_0", "TRUNCATE swiftlet.changes_1", "TRUNCATE swiftlet.changes_2",
        "TRUNCATE swiftlet.changes_3", "TRUNCATE swiftlet.changes_4", "TRUNCATE swiftlet.changes_5",
        "TRUNCATE swiftlet.changes_6", "TRUNCATE swiftlet.changes_7", "TRUNCATE swiftlet.changes_8",
        "TRUNCATE swiftlet.changes_9", "TRUNCATE swiftlet.changes_10", "TRUNCATE swiftlet.changes_11",
        "TRUNCATE swiftlet.changes_12", "TRUNCATE swiftlet.changes_13", "TRUNCATE swiftlet.changes_14",
        "TRUNCATE swiftlet.changes_15",
    ]

    // MARK: - A new slot

    /// Before a slot is made: from now on no position that was given means anything. Returns the new epoch.
    func beginEpoch() async throws(PostgresError) -> Int {
        let rows = try await database.query(
            """
            UPDATE swiftlet.change_stream SET floor_lsn = NULL, floor_index = 0, part_bytes = 0,
                epoch = greatest(epoch + 1, extract(epoch FROM clock_timestamp())::bigint)
            RETURNING epoch
            """
        )
        guard let epoch = rows.first?["epoch"].flatMap({ Int($0) }) else { throw .connectionFailure }
        return epoch
    }

    /// That of PostgreSQL's log when the slot was made; nil before the first.
    func timeline() async throws(PostgresError) -> Int? {
        try await database.query("SELECT timeline FROM swiftlet.change_stream").first?["timeline"].flatMap { Int($0) }
    }

    /// Of a slot that was made before timelines were known.
    func note(timeline: Int) async throws(PostgresError) {
        try await database.query("UPDATE swiftlet.change_stream SET timeline = \(timeline) WHERE timeline IS NULL")
    }

    /// When it is made: the log is complete from here on.
    func openEpoch(_ epoch: Int, at start: LogSequenceNumber, timeline: Int) async throws(PostgresError) {
        try await database.query("TRUNCATE swiftlet.changes")
        let text = start.description
        try await database.query(
            """
            UPDATE swiftlet.change_stream SET floor_lsn = \(text)::pg_lsn, last_lsn = \(text)::pg_lsn, last_index = 0,
                timeline = \(timeline)
            WHERE epoch = \(epoch)
            """
        )
        try await database.query("SELECT pg_notify('swiftlet_changes', '')")
    }
}

extension Rows {
    /// One cell; nil for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : String(sqlText: cell(row, column))
    }

    /// The JSON of one cell; nil for NULL.
    func json(_ row: Int, _ column: Int) -> JSONValue? {
        guard let text = text(row, column) else { return nil }
        return try? JSONParser.parse(Array(text.utf8))
    }
}
