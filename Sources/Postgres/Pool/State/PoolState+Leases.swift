import EventLoop

/// Exclusive use of a connection: by a transaction, a slow query, or one that is not known yet.
extension Pool {
    /// Waits for exclusive use of a connection; ``endLease(_:)`` gives it back.
    func lease() async throws(PostgresError) -> Lease {
        guard !isOut else { throw .connectionFailure }
        guard queues.count < configuration.maximumWaiters else {
            counts.totalOverloaded &+= 1
            throw .overloaded
        }
        startWatching()
        let lease = Lease(.transaction, isSlow: false, waitDeadline: loop.now + configuration.waitTimeout)
        let call = LoopBound(lease, on: loop)
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                unsafe lease.caller = continuation
                queues.leases.append(lease)
                pump()
            }
        } onCancel: {
            call.loop.execute { call.value.refuse(.cancelled) }
        }
        if let error = lease.error { throw error }
        return lease
    }

    /// What still runs on the connection, such as ROLLBACK, ends before anyone else gets it.
    func endLease(_ lease: Lease) {
        guard let slot = slots.first(where: { $0.lease === lease }) else { return }
        slot.lease = nil
        settle(slot)
    }

    /// Sends one query of a transaction on its own connection.
    func submit(_ pending: PendingQuery, in lease: Lease) {
        if let fault = pending.fault { return pending.finish(fault) }
        guard let connection = lease.connection, connection.isAlive,
            let slot = slots.first(where: { $0.connection === connection })
        else { return pending.finish(.connectionFailure) }
        startWatching()
        connection.send(pending, alone: true)
        places[slot.index].depth = connection.depth
    }

    /// Returns a leased connection to the pool once nothing is in flight on it.
    func settle(_ slot: Slot) {
        guard places[slot.index].isHeld, let connection = slot.connection, connection.canSend else { return }
        if let lease = slot.lease, lease.query == nil { return }
        guard connection.isEmpty, !slot.isCancelling else { return }
        guard !connection.isInTransaction else { return connection.die("a transaction was left open") }
        guard !connection.isRetired else { return connection.die("the server takes no changes on it") }
        slot.lease = nil
        connection.isInTransactionBlock = false
        places[slot.index].isHeld = false
        pump()
    }

    func pumpLeases() {
        guard !queues.leases.isEmpty || hasReservation else { return }
        // A first run may have shown that the shape needs no lease.
        let learnt = queues.leases.remove { lease in lease.query.map { !known.history.lane(of: $0).isLease } ?? false }
        for case let pending? in learnt.map(\.query) where pending.state != .done { route(pending, mayWait: true) }

        for index in places.indices { places[index].isReserved = false }
        hasReservation = false
        var slowCount = slots.count { $0.lease?.isSlow == true }
        while let next = queues.leases.first(where: { mayStart($0, slowCount) }),
            let index = policy.placeForLease(places)
        {
            // Not idle yet, but the first that will be: reserved, so that nothing else is sent to it.
            guard slots[index].connection?.isEmpty == true else {
                places[index].isReserved = true
                hasReservation = true
                return
            }
            _ = queues.leases.removeFirst { $0 === next }
            if next.isSlow { slowCount += 1 }
            grant(next, slots[index])
        }
    }

    private func mayStart(_ lease: Lease, _ slowCount: Int) -> Bool {
        !lease.isAbandoned && (!lease.isSlow || slowCount < policy.maximumSlow)
    }

    private func grant(_ lease: Lease, _ slot: Slot) {
        guard let connection = slot.connection else { return lease.refuse(.connectionFailure) }
        places[slot.index].isHeld = true
        slot.lease = lease
        connection.isInTransactionBlock = lease.query == nil
        lease.grant(connection)
        if let pending = lease.query { send(pending, to: slot.index, alone: true) }
    }
}
