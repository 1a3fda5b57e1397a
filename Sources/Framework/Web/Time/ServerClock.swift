#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The two clocks of a server, injected so that tests can set them.
package struct ServerClock: Sendable {
    /// Monotonic, for durations.
    package let nanoseconds: @Sendable () -> UInt64
    /// Milliseconds since 1970-01-01 UTC.
    package let milliseconds: @Sendable () -> Int

    package init(nanoseconds: @escaping @Sendable () -> UInt64, milliseconds: @escaping @Sendable () -> Int) {
        self.nanoseconds = nanoseconds
        self.milliseconds = milliseconds
    }

    /// The machine's clocks.
    package static let system = ServerClock(
        nanoseconds: {
            let time = read(CLOCK_MONOTONIC)
            return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        },
        milliseconds: {
            let time = read(CLOCK_REALTIME)
            return Int(time.tv_sec) &* 1000 &+ Int(time.tv_nsec) / 1_000_000
        }
    )

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
