import Synchronization

/// Counts the connections of all loops against their shared limit.
final class Admission: Sendable {
    private let maximum: Int
    private let open = Atomic(0)

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// False when the limit is reached; otherwise `leave` must follow.
    func enter() -> Bool {
        guard open.add(1, ordering: .relaxed).newValue <= maximum else {
            leave()
            return false
        }
        return true
    }

    func leave() {
        open.subtract(1, ordering: .relaxed)
    }
}
