/// Where the next claim begins to look in each priority.
///
/// What was claimed leaves dead entries at the front of the index, and somebody's old snapshot keeps PostgreSQL from
/// removing them: each claim would walk through all of them. So a full batch lets the next claim begin where it ended.
/// What became due before that in the meantime is found five times a second, and at once when there is less to do.
///
/// Once a look at everything takes long, it takes a twentieth of the time at most, and the other looks leave out what was
/// due for some seconds.
struct ClaimFloors: Sendable {
    static let none = "-infinity"
    private static let interval: UInt64 = 200_000_000
    private static let long: UInt64 = 10_000_000

    private var dues: [JobPriority: String] = [:]
    /// When everything was looked at, in nanoseconds of a monotonic clock.
    private var looked: UInt64 = 0
    /// How long that took.
    private var duration: UInt64 = 0

    subscript(_ priority: JobPriority) -> String { dues[priority] ?? Self.none }

    /// To be called before each claim.
    mutating func begin(at now: UInt64) {
        guard now &- looked >= max(Self.interval, duration.multipliedClamped(by: 20)) else { return }
        lookAtAll()
        looked = now
    }

    /// Something may be due that was before.
    mutating func lookAtAll() { dues = [:] }

    /// To be called with what was claimed, the most urgent first, and with how long the claim took.
    mutating func note(_ batch: ClaimedBatch, isFull: Bool, duration: UInt64) {
        if dues.isEmpty { self.duration = duration }
        if isFull {
            for job in batch.jobs { dues[job.priority] = job.due }
        } else if self.duration < Self.long {
            dues = [:]
        } else {
            for priority in [JobPriority.high, .normal, .low] { dues[priority] = batch.settled }
        }
    }
}

extension UInt64 {
    fileprivate func multipliedClamped(by factor: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
