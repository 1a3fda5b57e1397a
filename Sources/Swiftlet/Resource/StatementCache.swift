import Postgres
import Synchronization

/// What makes two statements of a resource the same text: the verb, which conditions and columns take part, the order.
struct StatementShape: Hashable, Sendable {
    enum Verb: UInt8, Sendable {
        case list, count, get, insert, update, delete, updateMany, deleteMany
    }

    let verb: Verb
    var conditions: [Condition.Shape] = []
    var columns: [String] = []
    var order: [OrderTerm] = []
}

/// Statements by shape, each made once per schema version and prepared once per connection.
///
/// Clients choose shapes (by filters, sort keys, bodies), so the number kept is bounded: a full cache starts afresh.
final class StatementCache: Sendable {
    static let capacity = 256
    private let statements = Mutex<[StatementShape: Statement]>([:])

    func statement(_ shape: StatementShape, isReadOnly: Bool, _ text: () -> String) -> Statement {
        statements.withLock { statements in
            if let statement = statements[shape] { return statement }
            if statements.count >= Self.capacity { statements.removeAll() }
            let statement = Statement(text(), isReadOnly: isReadOnly)
            statements[shape] = statement
            return statement
        }
    }
}
