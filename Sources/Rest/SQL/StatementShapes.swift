import Postgres
import Synchronization

/// Statements by their text, so that each shape is prepared once on a connection.
///
/// Roles have statements of their own: PostgreSQL plans a statement under row policies anew whenever the role differs
/// from that of its last run.
final class StatementShapes: Sendable {
    private let recent = Mutex(RecentStatements(limit: 1024))

    func call(_ text: StatementText, role: String = "", isReadOnly: Bool) -> StatementCall {
        let key = "\(role) \(text.text)"
        if let known = recent.withLock({ $0.use(key) }) { return StatementCall(known, text.parameters) }
        let statement = Statement(text.text, isReadOnly: isReadOnly)
        recent.withLock { $0.add(statement, key) }
        return StatementCall(statement, text.parameters)
    }
}
