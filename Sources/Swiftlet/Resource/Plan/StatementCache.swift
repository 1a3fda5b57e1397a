import Postgres
import Synchronization

/// What determines the text of a statement: the verb, the conditions and columns that take part, the order.
struct StatementShape: Hashable, Sendable {
    enum Verb: UInt8, Sendable {
        case list, count, get, find, lock, insert, insertChild, update, updateMany, delete, references
    }

    let verb: Verb
    /// Only their shapes count.
    var conditions: [Condition] = []
    /// How many of them are the caller's scope, in a statement that also counts over the scope alone.
    var scopeLength = 0
    var columns: [String] = []
    var order: [OrderTerm] = []

    /// The same shape without its values, to be stored as a key.
    fileprivate var withoutValues: StatementShape {
        let conditions = conditions.map { Condition(shape: $0.shape, value: "") }
        return StatementShape(
            verb: verb,
            conditions: conditions,
            scopeLength: scopeLength,
            columns: columns,
            order: order
        )
    }

    static func == (left: StatementShape, right: StatementShape) -> Bool {
        guard left.verb == right.verb, left.conditions.count == right.conditions.count else { return false }
        for (mine, theirs) in zip(left.conditions, right.conditions) where mine.shape != theirs.shape { return false }
        return left.scopeLength == right.scopeLength && left.columns == right.columns && left.order == right.order
    }

    /// Hashes the counts only: a resource has few shapes, and comparing their names is cheaper than hashing them.
    func hash(into hasher: inout Hasher) {
        let counts = columns.count << 16 | conditions.count << 8 | order.count
        hasher.combine(counts << 4 | Int(verb.rawValue))
    }
}

/// Statements by shape, each built once per schema version and prepared once per connection.
///
/// Clients choose the shapes (by filters, sort keys, bodies), so the cache is bounded: when full, it is emptied.
final class StatementCache: Sendable {
    static let capacity = 256
    private let statements = Mutex<[StatementShape: Statement]>([:])

    func statement(_ shape: StatementShape, isReadOnly: Bool, _ text: () -> String) -> Statement {
        statements.withLock { statements in
            if let statement = statements[shape] { return statement }
            if statements.count >= Self.capacity { statements.removeAll() }
            let statement = Statement(text(), isReadOnly: isReadOnly)
            statements[shape.withoutValues] = statement
            return statement
        }
    }
}
