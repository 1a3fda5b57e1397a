import Synchronization

/// Does something when the last of several has reported.
final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let completion: @Sendable () -> Void

    init(_ count: Int, _ completion: @escaping @Sendable () -> Void) {
        precondition(count > 0, "nobody would report")
        remaining = Atomic(count)
        self.completion = completion
    }

    func countDown() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { completion() }
    }
}
