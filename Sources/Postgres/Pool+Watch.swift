import EventLoop

/// What the pool does about whatever ``PoolWatch`` finds.
extension Pool {
    /// True while there is anything to watch.
    var isBusy: Bool { !queues.isEmpty || slots.contains { $0.connection?.isEmpty == false } }

    /// Sends nothing more to a connection on which a query takes long, and retries the reads behind it on others.
    func overtake(_ slot: Slot) {
        guard let connection = slot.connection, !places[slot.index].isStuck else { return }
        places[slot.index].isStuck = true
        guard !places[slot.index].isLeased else { return cancelDuplicate(on: slot) }
        let (suspects, others) = connection.overtakable()
        retryElsewhere(others + Suspicion.order(suspects).dropLast())
    }

    /// A suspect that takes long again is what was slow on its first connection. It goes on there, and its retry is
    /// cancelled, because this connection is needed; the reads left behind it there are retried now.
    private func cancelDuplicate(on slot: Slot) {
        guard let pending = slot.lease?.query, pending.wasOvertaken, pending.others.isEmpty else { return }
        let elsewhere = slots.lazy.filter { $0 !== slot }.compactMap { slot in
            slot.connection.flatMap { connection in connection.attempt(of: pending).map { (connection, $0) } }
        }
        guard let (origin, attempt) = elsewhere.first else { return }
        pending.goBack(toAttempt: attempt)
        slot.cancelRunning()
        let (suspects, others) = origin.overtakable()
        retryElsewhere(suspects + others)
    }

    private func retryElsewhere(_ queries: [PendingQuery]) {
        for pending in queries {
            guard overtaking.spend() else { return }
            pending.wasOvertaken = true
            retry(pending)
        }
    }

    func expireWaiters() {
        if isOut { return queues.removeAll().refuse(.connectionFailure) }
        let now = loop.now
        let expired = queues.expire { deadline, waitDeadline in deadline <= now || waitDeadline <= now }
        counts.totalOverloaded &+= expired.queries.count { $0.state != .done }
        counts.totalOverloaded &+= expired.leases.count { !$0.isAbandoned }
        expired.refuse(.overloaded)
    }
}
