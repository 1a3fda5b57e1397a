import Synchronization

/// Holds one result until it is taken, where a noncopyable value cannot go: in arrays and across threads.
package final class RowsBox: Sendable {
    private let content: Mutex<Rows?>

    init(_ rows: consuming Rows) {
        content = Mutex(rows)
    }

    /// The result, once.
    package func take() throws(PostgresError) -> Rows {
        guard let rows = content.withLock({ $0.take() }) else { throw .connectionLostAfterSending }
        return rows
    }

    /// The result as rows with named columns, once.
    package func rows() throws(PostgresError) -> [Row] { CopiedResult.rows(of: try take()) }
}
