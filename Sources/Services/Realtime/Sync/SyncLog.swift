import SwiftletJSON
import SwiftletPostgres
import Synchronization

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
        var changes: [LoggedChange] = []
        /// Tables with an image that cannot be read: nested too deep, for example.
        var unreadable: Set<UInt32> = []
        /// The last position that was read, that of other tables' changes included.
        var end: ChangePosition
        var isFull = false
    }

    /// Changes that are looked at for one answer.
    static let pageLength = 5000
    /// Of the images of rows. One more change may be in a page, however large.
    static let pageBytes = 2_000_000

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
        parameters.append(pageBytes)
        return parameters
    }

    /// `known` is the end for an earlier snapshot: all before it is visible.
    static func endParameters(known: ChangePosition?) -> Parameters {
        var parameters = Parameters()
        parameters.append((known?.commit ?? .zero).description)
        return parameters
    }

    static func readPage(_ rows: borrowing Rows, after start: ChangePosition) -> Page {
        var page = Page(end: start)
        for row in 0..<rows.count {
            guard rows.text(row, 7) == "t", let commit = rows.text(row, 0).flatMap({ LogSequenceNumber($0) }),
                let index = rows.text(row, 1).flatMap({ Int($0) })
            else { return page }
            guard rows.text(row, 8) == "t" else {
                page.isFull = true
                return page
            }
            page.end = ChangePosition(epoch: start.epoch, commit: commit, index: index)
            // Of other tables, there is nothing else.
            guard let operation = rows.text(row, 2)?.first.flatMap({ LoggedChange.Operation(rawValue: $0) }),
                let relation = rows.text(row, 3).flatMap({ UInt32($0) })
            else { continue }
            let (new, old) = (rows.json(row, 4)?.object, rows.json(row, 5)?.object)
            if !rows.isNull(row, 4) && new == nil || !rows.isNull(row, 5) && old == nil {
                page.unreadable.insert(relation)
                continue
            }
            page.changes.append(
                LoggedChange(
                    position: page.end,
                    operation: operation,
                    relation: relation,
                    committedAt: "",
                    new: new,
                    old: old,
                    oldIsWhole: rows.text(row, 6) == "t"
                )
            )
        }
        page.isFull = rows.count >= pageLength
        return page
    }

    /// Logged transactions have 32 bits of their number: the rest is that of the snapshot's, at most half a turn away.
    private static let number = """
        (moment.base + entry.transaction
            + CASE WHEN moment.base + entry.transaction > moment.next + 2147483648 THEN -4294967296
                WHEN moment.base + entry.transaction < moment.next - 2147483648 THEN 4294967296 ELSE 0 END)
        """

    /// Those before the oldest that runs need no closer look.
    private static let sees = """
        (\(number) < moment.oldest
            OR pg_visible_in_snapshot(greatest(3, \(number))::text::xid8, moment.snapshot))
        """

    private static let moment = """
        SELECT snapshot, oldest, next, next - next % 4294967296 AS base FROM (
            SELECT pg_current_snapshot() AS snapshot, pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
                pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next
        ) AS now
        """

    static let stateStatement = Statement(
        "SELECT epoch, floor_lsn, floor_index, last_lsn, last_index FROM swiftlet.change_stream",
        isReadOnly: true
    )

    /// The first transaction that the snapshot lacks, sought behind `$1` and among the last changes: those before have
    /// long been visible.
    static let endStatement = Statement(
        """
        SELECT min(entry.lsn) FROM (\(moment)) AS moment, (
            SELECT lsn, transaction FROM swiftlet.changes WHERE lsn >= $1::pg_lsn
            ORDER BY lsn DESC, index DESC LIMIT 100000
        ) AS entry
        WHERE NOT \(sees)
        """,
        isReadOnly: true
    )

    /// Sizes are known without reading the images, so that those beyond `$4` bytes are never read.
    static let pageStatement = Statement(
        """
        SELECT entry.lsn, entry.index,
            CASE WHEN entry.concerns THEN entry.operation END, CASE WHEN entry.concerns THEN entry.relation END,
            CASE WHEN entry.concerns AND entry.before < $4::bigint THEN entry.new_row END,
            CASE WHEN entry.concerns AND entry.before < $4::bigint THEN entry.old_row END,
            entry.old_is_whole, \(sees), entry.before < $4::bigint
        FROM (\(moment)) AS moment, (
            SELECT sized.*, sum(sized.bytes) OVER (ORDER BY sized.lsn, sized.index) - sized.bytes AS before FROM (
                SELECT logged.*, CASE WHEN logged.concerns THEN
                    coalesce(octet_length(logged.new_row::text), 0) + coalesce(octet_length(logged.old_row::text), 0)
                    ELSE 0 END::bigint AS bytes
                FROM (
                    SELECT *, relation = ANY($3::oid[]) AS concerns FROM swiftlet.changes
                    WHERE (lsn, index) > ($1::pg_lsn, $2::integer) ORDER BY lsn, index LIMIT \(pageLength)
                ) AS logged
            ) AS sized
        ) AS entry
        ORDER BY entry.lsn, entry.index
        """,
        isReadOnly: true
    )
}

/// Where copies begin, by the last snapshot that it was sought in. It holds for all later snapshots, so that the next
/// need not look at what is before it.
final class SyncLogEnd: Sendable {
    private let last = Mutex<ChangePosition?>(nil)

    /// To be read before the snapshot is taken.
    var known: ChangePosition? { last.withLock(\.self) }

    func found(_ end: ChangePosition) { last.withLock { $0 = end } }
}
