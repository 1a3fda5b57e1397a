import EventLoop
import Glibc

/// The moment itself, where the loop's `now` is too coarse: that is the moment when the current turn began.
enum MonotonicClock {
    static func now() -> LoopInstant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return LoopInstant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
}
