/// A descriptor's registration with a loop, from `register` to `deregister`.
package struct Registration: Hashable, Sendable {
    package let descriptor: CInt
    let token: UInt64
}

/// Finds handlers by token. A token consists of a entry and the entry's generation, so that an event for a descriptor
/// that was closed meanwhile does not reach the one that now has its number.
struct RegistrationTable {
    private struct Entry {
        var generation: UInt32 = 1
        var interest: Interest = []
        var handler: (any ReadinessHandler)?
    }

    private var entries: [Entry] = []
    private var free: [UInt32] = []

    private static func index(_ token: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: token)) }
    private static func generation(_ token: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: token >> 32) }

    mutating func add(_ handler: any ReadinessHandler, _ interest: Interest) -> UInt64 {
        let index: UInt32
        if let reused = free.popLast() {
            index = reused
        } else {
            index = UInt32(entries.count)
            entries.append(Entry())
        }
        entries[Int(index)].handler = handler
        entries[Int(index)].interest = interest
        return UInt64(entries[Int(index)].generation) << 32 | UInt64(index)
    }

    /// False when the token is stale.
    mutating func remove(_ token: UInt64) -> Bool {
        guard isLive(token) else { return false }
        let index = Self.index(token)
        entries[index].handler = nil
        entries[index].generation &+= 1
        // With generation 0 a token could equal the poller's own.
        if entries[index].generation == 0 { entries[index].generation = 1 }
        free.append(UInt32(index))
        return true
    }

    /// True when the interest differs from before.
    mutating func setInterest(_ token: UInt64, _ interest: Interest) -> Bool {
        guard isLive(token), entries[Self.index(token)].interest != interest else { return false }
        entries[Self.index(token)].interest = interest
        return true
    }

    func handler(for token: UInt64) -> (any ReadinessHandler)? {
        isLive(token) ? entries[Self.index(token)].handler : nil
    }

    private func isLive(_ token: UInt64) -> Bool {
        let index = Self.index(token)
        return index < entries.count && entries[index].generation == Self.generation(token)
    }
}
