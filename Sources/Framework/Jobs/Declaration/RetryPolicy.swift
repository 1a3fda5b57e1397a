/// How long one attempt of a job may take, and what happens when it fails.
public struct RetryPolicy: Equatable, Sendable {
    public static let firstDelay: Duration = .seconds(5)
    private static let longestDelay: Duration = .seconds(3600)

    var limit: Duration = .seconds(60)
    var attempts = 10
    var delay = firstDelay

    /// The time until the next attempt, when this many have failed; nil if that was the last.
    ///
    /// It doubles each time up to an hour, with up to a quarter added: what has failed together is not tried together.
    /// `jitter` is a random number between 0 and 1.
    func pause(afterAttempt attempt: Int, jitter: Double) -> Duration? {
        guard attempt < attempts else { return nil }
        let doublings = min(max(attempt, 1) - 1, 20)
        let pause = min(delay * (1 << doublings), Self.longestDelay)
        return pause + pause * (0.25 * min(max(jitter, 0), 1))
    }

    var fault: String? {
        guard (1...1000).contains(attempts) else { return "it needs from 1 to 1000 attempts" }
        guard limit > .zero, limit <= .seconds(86_400) else { return "its limit must be above 0, up to a day" }
        return delay > .zero && delay <= Self.longestDelay ? nil : "its delay must be above 0, up to an hour"
    }
}
