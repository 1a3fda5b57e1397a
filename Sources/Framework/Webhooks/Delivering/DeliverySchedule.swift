/// When a delivery is tried again, and when an endpoint is.
enum DeliverySchedule {
    /// After each failed attempt, as Standard Webhooks recommends: ten attempts within about three days.
    private static let pauses: [Duration] = [
        .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(18_000), .seconds(36_000),
        .seconds(50_400), .seconds(72_000), .seconds(86_400),
    ]
    /// From so many failures in a row on, an endpoint is asked by one delivery at a time.
    static let patience = 5
    private static let firstPause = Duration.seconds(30)
    private static let longestPause = Duration.seconds(3600)

    /// The time until the next attempt of a delivery; nil if there were enough. Up to a tenth is added: what has failed
    /// together is not tried together. `jitter` is a random number between 0 and 1.
    static func pause(afterAttempt attempt: Int, _ result: DeliveryAttempt, jitter: Double) -> Duration? {
        guard !result.isFinal, !result.isGone, attempt >= 1, attempt <= pauses.count else { return nil }
        let pause = max(pauses[attempt - 1], result.retryAfter ?? .zero)
        return pause + pause * (0.1 * min(max(jitter, 0), 1))
    }

    /// The time for which an endpoint is left alone; nil while it may just be unlucky.
    static func rest(afterFailures failures: Int) -> Duration? {
        guard failures >= patience else { return nil }
        return min(firstPause * (1 << min(failures - patience, 10)), longestPause)
    }
}
