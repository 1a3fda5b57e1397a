import Postgres
import Synchronization

/// Statements by their text, so that each shape is prepared once on a connection.
///
/// Roles have statements of their own: PostgreSQL plans a statement under row policies anew whenever the role differs
/// from that of its last run.
final class StatementShapes: Sendable {
    private let settings = Mutex<[TransactionSettings.Form: Statement]>([:])
    private let recent = Mutex(RecentlyUsed<String, Statement>(limit: 1024))

    /// Setting is no change that must not be repeated.
    func call(_ transaction: TransactionSettings) -> StatementCall {
        let form = transaction.form
        let statement = settings.withLock { known in
            if let statement = known[form] { return statement }
            let statement = Statement(form.text, isReadOnly: true)
            known[form] = statement
            return statement
        }
        return StatementCall(statement, transaction.parameters)
    }

    func call(_ text: StatementText, role: String = "", isReadOnly: Bool) -> StatementCall {
        let key = "\(role) \(text.text)"
        if let known = recent.withLock({ $0.use(key) }) { return StatementCall(known, text.parameters) }
        let statement = Statement(text.text, isReadOnly: isReadOnly)
        recent.withLock { $0.add(statement, key, weight: statement.weight) }
        return StatementCall(statement, text.parameters)
    }
}

extension Statement {
    /// What it costs to keep. Each connection holds what it has prepared, which takes up to two hundred times the memory of
    /// the text, and anybody can think of long queries.
    var weight: Int { 1 + text.utf8.count / 256 }
}
