import Synchronization

/// A clock that tests move by hand.
final class TestClock: Sendable {
    private let seconds: Mutex<Double>

    init(_ now: Double) { seconds = Mutex(now) }

    var now: Double {
        get { seconds.withLock { $0 } }
        set { seconds.withLock { $0 = newValue } }
    }
}
