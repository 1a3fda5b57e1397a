import Synchronization

/// Remembers for a while what the database has answered, for a bounded number of keys.
final class RecentResults<Value: Sendable>: Sendable {
    private let clock: ServerClock
    private let capacity = 10_000
    private let values = Mutex<[String: (value: Value, expires: UInt64)]>([:])

    init(clock: ServerClock) {
        self.clock = clock
    }

    /// nil if there is none, or it is too old.
    subscript(_ key: String) -> Value? {
        let now = clock.nanoseconds()
        return values.withLock { values in values[key].flatMap { now < $0.expires ? $0.value : nil } }
    }

    func remember(_ value: Value, for key: String, seconds: UInt64) {
        let now = clock.nanoseconds()
        values.withLock { values in
            if values.count >= capacity { values = values.filter { now < $0.value.expires } }
            if values.count >= capacity { values.removeAll(keepingCapacity: true) }
            values[key] = (value, now &+ seconds &* 1_000_000_000)
        }
    }
}
