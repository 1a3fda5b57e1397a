import Synchronization

/// Calls a closure when `countDown` has been called `count` times, from any threads.
final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let completion: @Sendable () -> Void

    init(_ count: Int, _ completion: @escaping @Sendable () -> Void) {
        precondition(count > 0, "the countdown would never end")
        remaining = Atomic(count)
        self.completion = completion
    }

    func countDown() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { completion() }
    }
}
