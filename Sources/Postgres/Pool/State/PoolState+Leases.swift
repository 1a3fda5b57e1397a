import EventLoop

/// Exclusive use of a connection: by a transaction, a slow query, or one that is not known yet.
extension PoolState {
    /// Grants the lease as soon as there is a connection, or refuses it.
    mutating func request(_ lease: Lease, at now: LoopInstant) {
        guard !isOut(at: now) else { return act(.refuse(lease, .connectionFailure)) }
        guard queues.count < configuration.maximumWaiters else {
            counts.totalOverloaded &+= 1
            return act(.refuse(lease, .overloaded))
        }
        queues.leases.append(lease)
        pump(at: now)
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
        guard places[index].isHeld, status.canSend else { return }
        if let lease = holds[index].lease, lease.query == nil { return }
        guard status.isIdle, holds[index].cancels == 0 else { return }
        guard !status.isInTransaction else { return act(.close(index, reason: "a transaction was left open")) }
        guard !holds[index].isRetired else { return act(.close(index, reason: "the server takes no changes on it")) }
        holds[index].lease = nil
        places[index].isHeld = false
        act(.release(index))
        pump(at: now)
    }

    mutating func pumpLeases(at now: LoopInstant) {
        guard !queues.leases.isEmpty || hasReservation else { return }
        // A first run may have shown that the shape needs no lease.
        let learnt = queues.leases.remove { lease in lease.query.map { !known.history.lane(of: $0).isLease } ?? false }
        for case let pending? in learnt.map(\.query) where pending.state != .done {
            route(pending, mayWait: true, at: now)
        }

        for index in places.indices { places[index].isReserved = false }
        hasReservation = false
        var slowCount = holds.count { $0.lease?.isSlow == true }
        while let next = firstLease(slowCount), let index = policy.placeForLease(places) {
            // Not idle yet, but the first that will be: reserved, so that nothing else is sent to it.
            guard places[index].isIdle else {
                places[index].isReserved = true
                hasReservation = true
                return
            }
            _ = queues.leases.removeFirst { $0 === next }
            if next.isSlow { slowCount += 1 }
            grant(next, index)
        }
    }

    private func firstLease(_ slowCount: Int) -> Lease? {
        let mayStart = slowCount < policy.maximumSlow
        return queues.leases.first { !$0.isAbandoned && (!$0.isSlow || mayStart) }
    }

    private mutating func grant(_ lease: Lease, _ index: Int) {
        places[index].isHeld = true
        holds[index].lease = lease
        act(.grant(lease, index))
        if let pending = lease.query { send(pending, to: index, alone: true) }
    }
}
