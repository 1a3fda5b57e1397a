/// When to look for jobs that this server holds without knowing it: a claim whose answer was lost may have been carried
/// out, or will be yet. Times are nanoseconds of a monotonic clock.
struct UnconfirmedClaims: Sendable {
    private var due: [UInt64] = []

    /// A claim was lost. At once, and when none can still be on its way, one lease later.
    mutating func arise(at now: UInt64, lease: Duration) {
        due = [now, now &+ UInt64(max(lease.seconds, 0) * 1e9)]
    }

    func isDue(at now: UInt64) -> Bool { due.contains { $0 <= now } }

    /// Everything was returned that was unknown at `now`.
    mutating func settle(at now: UInt64) { due.removeAll { $0 <= now } }
}
