import SwiftletWeb

/// What determines the text of a statement: the verb, the conditions and columns that take part, the order.
struct StatementKey: Hashable, Sendable {
    /// The raw value is only hashed.
    enum Verb: UInt8, Sendable {
        case list, count, get, find, references
        case lock, insert, insertKey, update, updateKey, updateOnly, delete
        case lockParent, requireParent, addToParent

        /// Whether the statement may be batched with others and retried.
        var isReadOnly: Bool {
            switch self {
            case .list, .count, .get, .find, .references: true
            case .lock, .insert, .insertKey, .update, .updateKey, .updateOnly, .delete: false
            case .lockParent, .requireParent, .addToParent: false
            }
        }
    }

    let verb: Verb
    /// Only their shapes count.
    var conditions: [Condition] = []
    /// How many of them are the caller's scope, in a statement that also counts over the scope alone.
    var scopeLength = 0
    var columns: [String] = []
    /// Columns that are set to `now()`.
    var nowColumns: [String] = []
    var order: [SortKey] = []
    /// The number of rows, where it is part of the text.
    var limit: Int?
    /// No rows are skipped.
    var isAtStart = false

    /// The same shape without its values, to be stored as a key.
    var withoutValues: StatementKey {
        var shape = self
        shape.conditions = conditions.map { Condition(shape: $0.shape, value: "") }
        return shape
    }

    static func == (left: StatementKey, right: StatementKey) -> Bool {
        guard left.verb == right.verb, left.conditions.count == right.conditions.count else { return false }
        for (mine, theirs) in zip(left.conditions, right.conditions) where mine.shape != theirs.shape { return false }
        return left.scopeLength == right.scopeLength && left.columns == right.columns
            && left.nowColumns == right.nowColumns && left.order == right.order && left.limit == right.limit
            && left.isAtStart == right.isAtStart
    }

    /// Hashes the lengths of the columns' names only: few shapes have all of them in common, and comparing the names of
    /// those is cheaper than hashing them.
    func hash(into hasher: inout Hasher) {
        var mark = conditions.count << 8 | order.count << 4 | Int(verb.rawValue)
        if let limit { mark = mark &* 31 &+ limit }
        if isAtStart { mark = mark &* 31 &+ 1 }
        for column in columns { mark = mark &* 31 &+ column.utf8.count }
        hasher.combine(mark)
    }
}
