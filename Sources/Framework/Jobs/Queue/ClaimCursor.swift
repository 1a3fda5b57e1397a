/// Where the next claim begins to look in each priority.
///
/// What was claimed leaves dead entries at the front of the index, and somebody's old snapshot keeps PostgreSQL from
/// removing them: each claim would walk through all of them. So a full batch lets the next claim begin where it ended.
/// What became due before that in the meantime is found five times a second, and at once when there is less to do.
///
/// Once looks at everything take long, each time, they take a twentieth of the time, but are no more than five seconds
/// apart, and the other looks leave out what has been due for some seconds.
struct ClaimCursor: Sendable {
    static let none = "-infinity"
    private static let interval: UInt64 = 200_000_000
    private static let longestInterval: UInt64 = 5_000_000_000
    private static let long: UInt64 = 10_000_000
    /// A busy machine makes any one look long.
    private static let remembered = 4

    private var dues: [JobPriority: String] = [:]
    /// When everything was looked at, in nanoseconds of a monotonic clock.
    private var looked: UInt64 = 0
    /// How long the last looks at everything took.
    private var durations: [UInt64] = []

    subscript(_ priority: JobPriority) -> String { dues[priority] ?? Self.none }

    /// To be called before each claim.
    mutating func begin(at now: UInt64) {
        guard now &- looked >= interval else { return }
        lookAtAll()
        looked = now
    }

    /// Something may be due that was before.
    mutating func lookAtAll() { dues = [:] }

    /// To be called with what was claimed, the most urgent first, and with how long the claim took.
    mutating func note(_ batch: ClaimedBatch, isFull: Bool, duration: UInt64) {
        if dues.isEmpty { durations = durations.suffix(Self.remembered - 1) + [duration] }
        if isFull {
            for job in batch.jobs { dues[job.priority] = job.due }
        } else if usualDuration < Self.long {
            dues = [:]
        } else {
            for priority in [JobPriority.high, .normal, .low] { dues[priority] = batch.settled }
        }
    }

    private var interval: UInt64 {
        min(max(Self.interval, min(usualDuration, Self.longestInterval) * 20), Self.longestInterval)
    }

    private var usualDuration: UInt64 { durations.count < Self.remembered ? 0 : durations.min() ?? 0 }
}
