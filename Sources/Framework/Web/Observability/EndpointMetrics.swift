import Synchronization

/// Requests of one endpoint by method and status, and how long they took.
final class EndpointMetrics: Sendable {
    /// Upper bounds of the latency histogram in microseconds; the last bucket is everything above.
    static let boundsMicroseconds: [UInt64] = [
        250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
    ]

    struct Count: Sendable {
        let method: String
        let status: Int
        var requests: Int
    }

    struct Snapshot: Sendable {
        var counts: [Count] = []
        /// Not cumulative; the last one has no upper bound.
        var buckets = [Int](repeating: 0, count: boundsMicroseconds.count + 1)
        var totalNanoseconds: UInt64 = 0
    }

    private static let knownMethods: Set<Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    private let state = Mutex(Snapshot())

    var snapshot: Snapshot { state.withLock(\.self) }

    func add(_ method: Method, _ status: Status, nanoseconds: UInt64) {
        let bucket = Self.boundsMicroseconds.firstIndex { nanoseconds <= $0 &* 1_000 } ?? Self.boundsMicroseconds.count
        state.withLock { state in
            state.buckets[bucket] += 1
            state.totalNanoseconds &+= nanoseconds
            // Fast path without hashing: nearly always a known method that was counted before.
            if let position = state.position(of: method.rawValue, status) ?? state.position(of: label(method), status) {
                state.counts[position].requests += 1
            } else {
                state.counts.append(Count(method: label(method), status: status.rawValue, requests: 1))
            }
        }
    }

    /// Clients choose the method, so only known ones become labels.
    private func label(_ method: Method) -> String {
        Self.knownMethods.contains(method) ? method.rawValue : "other"
    }
}

extension EndpointMetrics.Snapshot {
    fileprivate func position(of method: String, _ status: Status) -> Int? {
        counts.firstIndex { $0.status == status.rawValue && $0.method == method }
    }
}
