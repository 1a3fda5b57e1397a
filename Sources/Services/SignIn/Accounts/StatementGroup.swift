import SwiftletPostgres

/// Statements that are sent in one round trip. Each one that is added can be asked for its rows afterwards.
struct StatementGroup {
    private(set) var statements: [SQL] = []

    /// Names a statement of the group.
    struct Key: Sendable {
        fileprivate let position: Int
    }

    /// The rows that each statement has returned.
    struct Results: Sendable {
        private let rows: [[Row]]

        init(_ rows: [[Row]]) { self.rows = rows }

        subscript(key: Key) -> [Row] { rows[key.position] }
    }

    init(_ statements: [SQL] = []) { self.statements = statements }

    /// Adds a statement and returns the key to its rows.
    mutating func append(_ statement: SQL) -> Key {
        statements.append(statement)
        return Key(position: statements.count - 1)
    }

    /// Adds statements whose rows are not needed.
    mutating func append(contentsOf others: [SQL]) { statements += others }
}
