/// A descriptor's registration with a loop, from `register` to `deregister`.
package struct Registration: Hashable, Sendable {
    package let descriptor: CInt
    let token: UInt64
}

/// Finds handlers by token. A token consists of a slot and the slot's generation, so that an event for a descriptor
/// that was closed meanwhile does not reach the one that now has its number.
struct RegistrationTable {
    private struct Slot {
        var generation: UInt32 = 1
        var interest: Interest = []
        var handler: (any ReadinessHandler)?
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    private static func index(_ token: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: token)) }
    private static func generation(_ token: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: token >> 32) }

    mutating func add(_ handler: any ReadinessHandler, _ interest: Interest) -> UInt64 {
        let index: UInt32
        if let reused = free.popLast() {
            index = reused
        } else {
            index = UInt32(slots.count)
            slots.append(Slot())
        }
        slots[Int(index)].handler = handler
        slots[Int(index)].interest = interest
        return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
    }

    /// False when the token is stale.
    mutating func remove(_ token: UInt64) -> Bool {
        guard isLive(token) else { return false }
        let index = Self.index(token)
        slots[index].handler = nil
        slots[index].generation &+= 1
        // With generation 0 a token could equal the poller's own.
        if slots[index].generation == 0 { slots[index].generation = 1 }
        free.append(UInt32(index))
        return true
    }

    /// True when the interest differs from before.
    mutating func setInterest(_ token: UInt64, _ interest: Interest) -> Bool {
        guard isLive(token), slots[Self.index(token)].interest != interest else { return false }
        slots[Self.index(token)].interest = interest
        return true
    }

    func handler(for token: UInt64) -> (any ReadinessHandler)? {
        isLive(token) ? slots[Self.index(token)].handler : nil
    }

    private func isLive(_ token: UInt64) -> Bool {
        let index = Self.index(token)
        return index < slots.count && slots[index].generation == Self.generation(token)
    }
}
