/// When a server says that it lives, and when it must take itself for dead. Times are nanoseconds of a monotonic clock.
struct LeaseTimes: Sendable {
    let lease: Duration
    /// When the last statement was sent that has renewed the lease.
    private(set) var renewed: UInt64 = 0

    init(lease: Duration) { self.lease = lease }

    /// As early as it was sent: the database may have renewed it at any time after.
    mutating func renew(sentAt instant: UInt64) { renewed = max(renewed, instant) }

    /// Often enough that two lost messages in a row do no harm.
    func mustBeat(at now: UInt64) -> Bool { seconds(until: now) >= lease.seconds / 4 }

    /// Whether others may have taken over what this server held.
    func hasEnded(at now: UInt64) -> Bool { seconds(until: now) >= lease.seconds }

    private func seconds(until now: UInt64) -> Double { now > renewed ? Double(now - renewed) / 1e9 : 0 }
}
