public import SwiftletEssentials

extension Context {
    /// The time of day, as the server's clock has it: tests set it.
    public var now: Date { Date(timeIntervalSince1970: Double(server.clock.milliseconds()) / 1000) }
}

extension ServerClock {
    /// The machine's clock for durations, and another time of day.
    package init(now: @escaping @Sendable () -> Date) {
        self.init(
            nanoseconds: Self.system.nanoseconds,
            milliseconds: { Int((now().timeIntervalSince1970 * 1000).rounded(.down)) }
        )
    }
}
