/// Where the next claim begins to look in each priority, while there is more than enough to claim.
///
/// What was claimed leaves dead entries at the front of the index, and somebody's old snapshot keeps PostgreSQL from
/// removing them: each claim would walk through all of them. So a full batch lets the next claim begin where it ended.
/// What became due before that in the meantime is found five times a second, and at once when there is less to do.
struct ClaimFloors: Sendable {
    static let none = "-infinity"
    private static let interval: UInt64 = 200_000_000

    private var dues: [JobPriority: String] = [:]
    /// When everything was looked at, in nanoseconds of a monotonic clock.
    private var looked: UInt64 = 0

    subscript(_ priority: JobPriority) -> String { dues[priority] ?? Self.none }

    /// To be called before each claim.
    mutating func begin(at now: UInt64) {
        guard now &- looked >= Self.interval else { return }
        dues = [:]
        looked = now
    }

    /// To be called with what was claimed, the most urgent first.
    mutating func note(_ jobs: [ClaimedJob], isFull: Bool) {
        guard isFull else {
            dues = [:]
            return
        }
        for job in jobs { dues[job.priority] = job.due }
    }
}
