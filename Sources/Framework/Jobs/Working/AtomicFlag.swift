import Synchronization

/// A flag that one task sets and another one takes.
final class AtomicFlag: Sendable {
    private let flag: Atomic<Bool>

    init(isSet: Bool = false) { flag = Atomic(isSet) }

    var isSet: Bool { flag.load(ordering: .acquiring) }

    /// False if it was set already.
    @discardableResult
    func set() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }

    /// True if it was set.
    func take() -> Bool { flag.exchange(false, ordering: .acquiringAndReleasing) }
}
