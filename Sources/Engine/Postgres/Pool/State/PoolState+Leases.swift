import SwiftletEventLoop

/// Exclusive use of a connection: by a transaction, a slow query, or one that is not known yet.
extension PoolState {
    /// Grants the lease as soon as there is a connection, or refuses it.
    mutating func request(_ lease: Lease, at now: LoopInstant) {
        guard !isOut(at: now) else { return act(.refuse(lease, .connectionFailure)) }
        guard mayWait(lease.guest) else {
            counts.totalOverloaded &+= 1
            return act(.refuse(lease, .overloaded))
        }
        queues.leases.append(lease)
        pump(at: now)
    }

    /// Whether there is room in the queues: guests leave some to the others, and each to the other guests.
    func mayWait(_ guest: Guest?) -> Bool {
        let maximum = configuration.maximumWaiters
        guard queues.count < maximum else { return false }
        guard let guest else { return true }
        let limit = policy.maximumWaitersOfGuest(of: maximum)
        guard queues.count >= limit else { return true }
        return queues.count < policy.maximumGuestWaiters(of: maximum) && queues.count(of: guest) < limit
    }

    /// The connection that the lease has.
    func connection(of lease: Lease) -> Int? { holds.firstIndex { $0.lease === lease } }

    /// Sends one call of a transaction on its own connection.
    mutating func submit(_ pending: PendingQuery, in lease: Lease) {
        if let fault = pending.fault { return act(.finish(pending, fault)) }
        guard let index = connection(of: lease) else { return act(.finish(pending, .connectionFailure)) }
        send(pending, to: index, alone: true)
    }

    /// What still runs on the connection, such as ROLLBACK, ends before anyone else gets it.
    mutating func endLease(on index: Int, _ status: ConnectionStatus, at now: LoopInstant) {
        holds[index].lease = nil
        settle(index, status, at: now)
    }

    /// Returns a connection to everyone once nothing is in flight on it.
    mutating func settle(_ index: Int, _ status: ConnectionStatus, at now: LoopInstant) {
        guard candidates[index].isHeld, status.canSend else { return }
        if let lease = holds[index].lease, lease.query == nil { return }
        guard status.isIdle, holds[index].cancels == 0 else { return }
        guard !status.isInTransaction else { return act(.close(index, reason: "a transaction was left open")) }
        guard !holds[index].isRetired else { return act(.close(index, reason: "the server takes no changes on it")) }
        holds[index].lease = nil
        candidates[index].isHeld = false
        act(.release(index))
        pump(at: now)
    }

    mutating func pumpLeases(at now: LoopInstant) {
        guard !queues.leases.isEmpty || hasReservation else { return }
        // A first run may have shown that the shape needs no lease.
        let learnt = queues.leases.remove { lease in
            lease.query.map { !known.history.workload(of: $0).isLease } ?? false
        }
        for case let pending? in learnt.map(\.query) where pending.state != .done {
            route(pending, mayWait: true, at: now)
        }

        for index in candidates.indices { candidates[index].isReserved = false }
        hasReservation = false
        // Those that wait for a connection which is reserved for them.
        var reserved: [ObjectIdentifier] = []
        while let (next, index) = nextLease(besides: reserved) {
            // Not idle yet, but the first that will be: reserved, so that nothing else is sent to it.
            guard candidates[index].isIdle else {
                candidates[index].isReserved = true
                hasReservation = true
                // The others may use connections that a guest may not.
                guard next.guest != nil else { return }
                reserved.append(ObjectIdentifier(next))
                continue
            }
            _ = queues.leases.removeFirst { $0 === next }
            grant(next, index)
        }
    }

    /// The first lease in line that may have a connection now, and which.
    private func nextLease(besides reserved: [ObjectIdentifier]) -> (Lease, Int)? {
        let index = policy.indexForLease(candidates)
        let guestIndex = hasGuestLease ? policy.indexForLease(candidates, isGuest: true) : nil
        guard index != nil || guestIndex != nil else { return nil }
        let held = HeldLeases(holds)
        let next = queues.leases.first { lease in
            guard !lease.isAbandoned, !lease.isSlow || held.slow < policy.maximumSlow else { return false }
            guard let guest = lease.guest else { return index != nil }
            return guestIndex != nil && held.leaveRoom(for: guest, isSlow: lease.isSlow, policy)
                && !(guest.mayTakeLong && isAtLimit(guest)) && !reserved.contains(ObjectIdentifier(lease))
        }
        guard let next, let index = next.guest == nil ? index : guestIndex else { return nil }
        return (next, index)
    }

    private var hasGuestLease: Bool { queues.leases.first { $0.guest != nil } != nil }

    private mutating func grant(_ lease: Lease, _ index: Int) {
        candidates[index].isHeld = true
        holds[index].lease = lease
        act(.grant(lease, index))
        if let pending = lease.query { send(pending, to: index, alone: true) }
    }
}

/// The leases that are out.
private struct HeldLeases {
    private(set) var slow = 0
    private var slowOfGuests = 0
    private var guests: [Guest] = []

    init(_ holds: [PoolState.Hold]) {
        for hold in holds {
            guard let lease = hold.lease else { continue }
            if lease.isSlow { slow += 1 }
            guard let guest = lease.guest else { continue }
            guests.append(guest)
            if lease.isSlow { slowOfGuests += 1 }
        }
    }

    /// Whether the guests, and this one among them, have less than their share.
    func leaveRoom(for guest: Guest, isSlow: Bool, _ policy: PlacementPolicy) -> Bool {
        guard guests.count < policy.maximumGuestLeases else { return false }
        guard !isSlow || slowOfGuests < policy.maximumSlowOfGuests else { return false }
        return guests.count { $0 == guest } < policy.maximumLeasesOfGuest
    }
}
