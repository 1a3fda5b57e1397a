/// When a delivery is tried again, and when an endpoint is.
enum DeliverySchedule {
    /// After each failed attempt, as Standard Webhooks recommends: ten attempts within about three days.
    private static let pauses: [Duration] = [
        .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(18_000), .seconds(36_000),
        .seconds(50_400), .seconds(72_000), .seconds(86_400),
    ]
    /// From so many failures in a row on, an endpoint is asked by one delivery at a time.
    static let patience = 5
    /// The seconds for which it is left alone then, the last for all failures after them.
    static let rests = [30, 60, 120, 240, 480, 960, 1920, 3600]

    /// The time until the next attempt of a delivery; nil if there were enough. Up to a tenth is added: what has failed
    /// together is not tried together. `jitter` is a random number between 0 and 1.
    static func pause(afterAttempt attempt: Int, _ result: DeliveryAttempt, jitter: Double) -> Duration? {
        guard !result.isFinal, !result.isGone, attempt >= 1, attempt <= pauses.count else { return nil }
        let pause = max(pauses[attempt - 1], result.retryAfter ?? .zero)
        return pause + pause * (0.1 * min(max(jitter, 0), 1))
    }
}
