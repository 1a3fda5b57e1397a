import SwiftletJSON
import SwiftletPostgres

/// The log of changes, read within the snapshot in which rows are read.
///
/// A commit is in the log before others see it, so a snapshot may lack what the log has. A cursor that passed such a change
/// would lose it for good: it stops before the first change that the snapshot lacks.
enum SyncLog {
    struct State {
        let epoch: Int
        let floor: ChangePosition
        let last: ChangePosition
    }

    struct Page {
        let changes: [LoggedChange]
        /// The last position that was read, that of other tables' changes included.
        let end: ChangePosition
        let isFull: Bool
    }

    /// Changes that are looked at for one answer.
    static let pageLength = 5000
    /// Of the images of rows.
    private static let pageBytes = 2_000_000

    /// nil while nothing is read.
    static func readState(_ rows: borrowing Rows) -> State? {
        guard rows.count == 1, let epoch = rows.text(0, 0).flatMap({ Int($0) }),
            let floor = position(rows, 1, epoch), let last = position(rows, 3, epoch)
        else { return nil }
        return State(epoch: epoch, floor: floor, last: last)
    }

    /// Where a copy that is read in this snapshot, or a later one, goes on.
    static func readEnd(_ rows: borrowing Rows, _ state: State) -> ChangePosition {
        // Position 0 of a transaction lies before its changes.
        let hidden = rows.text(0, 0).flatMap { LogSequenceNumber($0) }
        let end = hidden.map { ChangePosition(epoch: state.epoch, commit: $0, index: 0) } ?? state.last
        return max(state.floor, end)
    }

    private static func position(_ rows: borrowing Rows, _ column: Int, _ epoch: Int) -> ChangePosition? {
        guard let commit = rows.text(0, column).flatMap({ LogSequenceNumber($0) }),
            let index = rows.text(0, column + 1).flatMap({ Int($0) })
        else { return nil }
        return ChangePosition(epoch: epoch, commit: commit, index: index)
    }

    static func pageParameters(after position: ChangePosition, _ relations: Set<UInt32>) -> Parameters {
        var parameters = Parameters()
        parameters.append(position.commit.description)
        parameters.append(position.index)
        parameters.append(array: relations.map(\.description))
        return parameters
    }

    static func readPage(_ rows: borrowing Rows, after start: ChangePosition) -> Page {
        var changes: [LoggedChange] = []
        var end = start
        var bytes = 0
        for row in 0..<rows.count {
            guard rows.text(row, 7) == "t", let commit = rows.text(row, 0).flatMap({ LogSequenceNumber($0) }),
                let index = rows.text(row, 1).flatMap({ Int($0) }), bytes < pageBytes
            else { return Page(changes: changes, end: end, isFull: bytes >= pageBytes) }
            end = ChangePosition(epoch: start.epoch, commit: commit, index: index)
            // Of other tables, there is nothing else.
            guard let operation = rows.text(row, 2)?.first.flatMap({ LoggedChange.Operation(rawValue: $0) }),
                let relation = rows.text(row, 3).flatMap({ UInt32($0) })
            else { continue }
            bytes += rows.cell(row, 4).count + rows.cell(row, 5).count
            changes.append(
                LoggedChange(
                    position: end,
                    operation: operation,
                    relation: relation,
                    committedAt: "",
                    new: rows.json(row, 4)?.object,
                    old: rows.json(row, 5)?.object,
                    oldIsWhole: rows.text(row, 6) == "t"
                )
            )
        }
        return Page(changes: changes, end: end, isFull: rows.count >= pageLength)
    }

    /// Logged transactions have 32 bits of their number: the rest is that of the snapshot's, at most half a turn away.
    private static let sees = """
        pg_visible_in_snapshot(
            greatest(3, moment.base + entry.transaction
                + CASE WHEN moment.base + entry.transaction > moment.next + 2147483648 THEN -4294967296
                    WHEN moment.base + entry.transaction < moment.next - 2147483648 THEN 4294967296 ELSE 0 END
            )::text::xid8,
            moment.snapshot
        )
        """

    private static let moment = """
        SELECT snapshot, next, next - next % 4294967296 AS base FROM (
            SELECT pg_current_snapshot() AS snapshot, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next
        ) AS now
        """

    static let stateStatement = Statement(
        "SELECT epoch, floor_lsn, floor_index, last_lsn, last_index FROM swiftlet.change_stream",
        isReadOnly: true
    )

    /// The first transaction that the snapshot lacks, sought among the last changes: those before have long been visible.
    static let endStatement = Statement(
        """
        SELECT min(entry.lsn) FROM (\(moment)) AS moment, (
            SELECT lsn, transaction FROM swiftlet.changes ORDER BY lsn DESC, index DESC LIMIT 100000
        ) AS entry
        WHERE NOT \(sees)
        """,
        isReadOnly: true
    )

    static let pageStatement = Statement(
        """
        SELECT entry.lsn, entry.index,
            CASE WHEN entry.concerns THEN entry.operation END, CASE WHEN entry.concerns THEN entry.relation END,
            CASE WHEN entry.concerns THEN entry.new_row END, CASE WHEN entry.concerns THEN entry.old_row END,
            entry.old_is_whole, \(sees)
        FROM (\(moment)) AS moment, (
            SELECT *, relation = ANY($3::oid[]) AS concerns FROM swiftlet.changes
            WHERE (lsn, index) > ($1::pg_lsn, $2::integer) ORDER BY lsn, index LIMIT \(pageLength)
        ) AS entry
        ORDER BY entry.lsn, entry.index
        """,
        isReadOnly: true
    )
}
