import SwiftletEventLoop
import Synchronization

/// Counts the connections of all loops against their shared limit, and those of each address against its share.
final class Admission: Sendable {
    private let maximum: Int
    /// nil: a quarter of all, for addresses that are not private.
    private let share: Int?
    private let open = Atomic(0)
    private let ofAddresses = Mutex<[ClientNetwork: Int]>([:])

    init(maximum: Int, share: Int? = nil) {
        self.maximum = maximum
        self.share = share
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

    /// False when the share of the client is used up; otherwise `leave(from:)` must follow in place of `leave()`.
    func admit(_ network: ClientNetwork) -> Bool {
        guard let limit = limit(of: network) else { return true }
        return ofAddresses.withLock { counts in
            let count = counts[network, default: 0]
            guard count < limit else { return false }
            counts[network] = count + 1
            return true
        }
    }

    func leave(from network: ClientNetwork) {
        leave()
        guard limit(of: network) != nil else { return }
        ofAddresses.withLock { counts in
            guard let count = counts[network] else { return }
            counts[network] = count > 1 ? count - 1 : nil
        }
    }

    /// Behind a proxy all clients have its address, which is private as a rule.
    private func limit(of network: ClientNetwork) -> Int? {
        if let share { return share }
        return network.isPrivate ? nil : max(1, maximum / 4)
    }
}
