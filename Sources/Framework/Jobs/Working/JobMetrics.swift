import Synchronization

/// What this server's attempts have come to, by name, for `/metrics`.
final class JobMetrics: Sendable {
    struct Count: Sendable {
        var outcomes: [String: Int] = [:]
        var nanoseconds: UInt64 = 0
        var attempts = 0
    }

    private let counts = Mutex<[String: Count]>([:])

    func add(_ name: String, _ outcome: JobOutcome, nanoseconds: UInt64) {
        counts.withLock { counts in
            counts[name, default: Count()].outcomes[outcome.word, default: 0] += 1
            counts[name, default: Count()].nanoseconds &+= nanoseconds
            counts[name, default: Count()].attempts += 1
        }
    }

    var snapshot: [(name: String, count: Count)] {
        counts.withLock { $0.sorted { $0.key < $1.key } }.map { ($0.key, $0.value) }
    }
}
