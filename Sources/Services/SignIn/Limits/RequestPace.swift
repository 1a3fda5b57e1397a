import SwiftletWeb

/// Lets requests take a multiple of some time: the few milliseconds of what was to do, or was not, vanish in it.
struct RequestPace: Sendable {
    private let nanoseconds: UInt64
    private let clock: ServerClock

    init(_ pace: Duration, clock: ServerClock) {
        let (seconds, attoseconds) = pace.components
        nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        self.clock = clock
    }

    /// Waits after `body`, unless it throws.
    func keep<Value>(_ body: () async throws -> Value) async throws -> Value {
        let start = clock.nanoseconds()
        let value = try await body()
        guard nanoseconds > 0 else { return value }
        let rest = nanoseconds - (clock.nanoseconds() &- start) % nanoseconds
        try await Task.sleep(for: .nanoseconds(Int64(rest)))
        return value
    }
}
