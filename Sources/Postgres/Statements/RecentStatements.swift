/// Statements by a key, as many as were used lately.
///
/// Two generations bound it: when the young one is full it replaces the old one, and statements of the old one that
/// were not used since are dropped.
package struct RecentStatements: Sendable {
    private let limit: Int
    private var young: [String: Statement] = [:]
    private var old: [String: Statement] = [:]

    package init(limit: Int) {
        self.limit = limit
    }

    package mutating func use(_ key: String) -> Statement? {
        if let statement = young[key] { return statement }
        guard let statement = old[key] else { return nil }
        add(statement, key)
        return statement
    }

    package mutating func add(_ statement: Statement, _ key: String) {
        if young.count >= limit {
            old = young
            young = [:]
        }
        young[key] = statement
    }
}
