/// Statements by a key, as many as were used lately.
///
/// Two generations bound it: when the young one is full it replaces the old one, and statements of the old one that
/// were not used since are dropped.
package struct RecentStatements: Sendable {
    private struct Entry: Sendable {
        let statement: Statement
        let weight: Int
    }

    private let limit: Int
    private var young: [String: Entry] = [:]
    private var old: [String: Entry] = [:]
    /// Of the young ones.
    private var weight = 0

    package init(limit: Int) {
        self.limit = limit
    }

    package mutating func use(_ key: String) -> Statement? {
        if let entry = young[key] { return entry.statement }
        guard let entry = old[key] else { return nil }
        add(entry.statement, key, weight: entry.weight)
        return entry.statement
    }

    /// A generation is full when the weights of its statements reach the limit.
    package mutating func add(_ statement: Statement, _ key: String, weight added: Int = 1) {
        if weight >= limit {
            old = young
            young = [:]
            weight = 0
        }
        weight += added - (young.updateValue(Entry(statement: statement, weight: added), forKey: key)?.weight ?? 0)
    }
}
