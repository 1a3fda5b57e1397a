import Synchronization

/// How many transactions a pool holds at most: whoever takes the rows decides how long they last, so that they leave
/// connections to the other guests.
final class HeldPlaces: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) { free = Mutex(count) }

    func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    func giveBack() { free.withLock { $0 += 1 } }
}
