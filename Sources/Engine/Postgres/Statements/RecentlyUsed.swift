/// Values by a key, as many as were used lately.
///
/// Two generations bound it: when the young one is full it replaces the old one, and values of the old one that were
/// not used since are dropped.
package struct RecentlyUsed<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let weight: Int
    }

    private let limit: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    /// Of the young ones.
    private var weight = 0

    package init(limit: Int) {
        self.limit = limit
    }

    package mutating func use(_ key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old[key] else { return nil }
        add(entry.value, key, weight: entry.weight)
        return entry.value
    }

    /// A generation is full when the weights of its values reach the limit.
    package mutating func add(_ value: Value, _ key: Key, weight added: Int = 1) {
        if weight >= limit {
            old = young
            young = [:]
            weight = 0
        }
        weight += added - (young.updateValue(Entry(value: value, weight: added), forKey: key)?.weight ?? 0)
    }
}
