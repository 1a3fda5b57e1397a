/// A moment on the monotonic clock, in nanoseconds.
package struct LoopInstant: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Before every moment of the clock.
    package static let distantPast = LoopInstant(nanoseconds: 0)
    package static let distantFuture = LoopInstant(nanoseconds: .max)

    package static func < (left: LoopInstant, right: LoopInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Saturates: `now + .seconds(.max)` is the distant future.
    package static func + (instant: LoopInstant, duration: Duration) -> LoopInstant {
        instant.advanced(by: duration.wholeNanoseconds)
    }

    /// As `+`, without the cost of a 128-bit `Duration`.
    package func advanced(by nanoseconds: Int64) -> LoopInstant {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return overflow ? .distantFuture : LoopInstant(nanoseconds: sum)
    }

    package static func - (left: LoopInstant, right: LoopInstant) -> Duration {
        .nanoseconds(left.nanoseconds &- right.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to what 64 bits hold (292 years).
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        if carry { return seconds < 0 ? .min : .max }
        return sum
    }
}
