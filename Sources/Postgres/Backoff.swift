/// How long to wait before the next attempt to connect.
///
/// At once after a loss, then twice as long each time up to a second, each with up to a quarter of chance added, so
/// that a server that returns is found within two seconds and not by everybody in the same moment.
struct Backoff {
    private(set) var failures = 0

    /// `chance` is between 0 and 1.
    mutating func next(chance: Double) -> Duration {
        defer { failures += 1 }
        guard failures > 0 else { return .milliseconds(Int(chance * 10)) }
        let base = min(1000, 50 << min(failures - 1, 5))
        return .milliseconds(base + Int(Double(base) * 0.25 * chance))
    }

    mutating func reset() { failures = 0 }
}
