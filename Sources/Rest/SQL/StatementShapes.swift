import Postgres
import Synchronization

/// Statements by their text, so that each shape is prepared once on a connection.
///
/// Roles have statements of their own: PostgreSQL plans a statement under row policies anew whenever the role differs
/// from that of its last run.
final class StatementShapes: Sendable {
    private let recent = Mutex(RecentStatements(limit: 1024))
    /// Text of this length weighs as one statement: each connection holds what it has prepared, which takes up to two
    /// hundred times the memory of the text, and anybody can think of long queries.
    private static let weightBytes = 256

    func call(_ text: StatementText, role: String = "", isReadOnly: Bool) -> StatementCall {
        let key = "\(role) \(text.text)"
        if let known = recent.withLock({ $0.use(key) }) { return StatementCall(known, text.parameters) }
        let statement = Statement(text.text, isReadOnly: isReadOnly)
        let weight = 1 + text.text.utf8.count / Self.weightBytes
        recent.withLock { $0.add(statement, key, weight: weight) }
        return StatementCall(statement, text.parameters)
    }
}
