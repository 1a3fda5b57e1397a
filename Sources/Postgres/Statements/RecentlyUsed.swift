/// Values by a key, as many as were used lately.
///
/// Two generations bound it: when the young one is full it replaces the old one, and values of the old one that were
/// not used since are dropped.
package struct RecentlyUsed<Key: Hashable, Value> {
    private let limit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    package init(limit: Int) {
        self.limit = limit
    }

    package mutating func use(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        add(value, key)
        return value
    }

    package mutating func add(_ value: Value, _ key: Key) {
        if young.count >= limit {
            old = young
            young = [:]
        }
        young[key] = value
    }
}

extension RecentlyUsed: Sendable where Key: Sendable, Value: Sendable {}
