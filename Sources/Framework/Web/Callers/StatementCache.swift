package import SwiftletPostgres
import Synchronization

/// Statements by their text, so that each text is prepared once on a connection.
///
/// Roles have statements of their own: PostgreSQL plans a statement under row policies anew whenever the role differs
/// from that of its last run.
package final class StatementCache: Sendable {
    private let settings = Mutex<[TransactionSettings.Form: Statement]>([:])
    private let recent = Mutex(RecentlyUsed<String, Statement>(limit: 1024))

    package init() {}

    /// Setting is no change that must not be repeated.
    package func call(_ transaction: TransactionSettings) -> StatementCall {
        let form = transaction.form
        let statement = settings.withLock { known in
            if let statement = known[form] { return statement }
            let statement = Statement(form.text, isReadOnly: true)
            known[form] = statement
            return statement
        }
        return StatementCall(statement, transaction.parameters)
    }

    package func call(
        _ text: String,
        _ parameters: Parameters,
        role: String = "",
        isReadOnly: Bool
    ) -> StatementCall {
        let key = "\(role) \(text)"
        if let known = recent.withLock({ $0.use(key) }) { return StatementCall(known, parameters) }
        let statement = Statement(text, isReadOnly: isReadOnly)
        recent.withLock { $0.add(statement, key, weight: statement.weight) }
        return StatementCall(statement, parameters)
    }

    package func call(_ sql: SQL, role: String = "", isReadOnly: Bool) -> StatementCall {
        call(sql.text, sql.parameters, role: role, isReadOnly: isReadOnly)
    }
}

extension Statement {
    /// What it costs to keep. Each connection holds what it has prepared, which takes up to two hundred times the memory of
    /// the text, and anybody can think of long queries.
    package var weight: Int { 1 + text.utf8.count / 256 }
}
