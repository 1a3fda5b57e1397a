/// The delay before the next attempt to connect.
///
/// None after a loss, then 50 ms, doubling up to a second, each with up to a quarter of random jitter: a server that
/// returns is found within two seconds, and not by all connections at the same moment.
struct Backoff {
    private(set) var failures = 0

    /// `jitter` is a random number between 0 and 1.
    mutating func next(jitter: Double) -> Duration {
        defer { failures += 1 }
        guard failures > 0 else { return .milliseconds(Int(jitter * 10)) }
        let base = min(1000, 50 << min(failures - 1, 5))
        return .milliseconds(base + Int(Double(base) * 0.25 * jitter))
    }

    mutating func reset() { failures = 0 }
}
