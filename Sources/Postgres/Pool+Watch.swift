import EventLoop

/// What the pool's watch finds, and what is done about it.
extension Pool {
    /// True while there is anything that can take too long.
    var isBusy: Bool { !lines.isEmpty || slots.contains { $0.connection?.isEmpty == false } }

    /// Nothing more is put behind what runs on this connection; the reads behind it are asked elsewhere.
    func overtake(_ slot: Slot) {
        guard let connection = slot.connection, !places[slot.index].isStuck else { return }
        places[slot.index].isStuck = true
        guard !places[slot.index].isLeased else { return stopDuplicate(on: slot) }
        let (suspects, others) = connection.overtakable()
        askElsewhere(others + Suspicion.order(suspects).dropLast())
    }

    /// A suspect that was asked again and takes long again is what was slow in the first place: there it goes on, and
    /// this connection is wanted for others. Whoever was left there as likelier is asked elsewhere now.
    private func stopDuplicate(on slot: Slot) {
        guard let pending = slot.lease?.query, pending.wasOvertaken, pending.others.isEmpty else { return }
        let elsewhere = slots.lazy.filter { $0 !== slot }.compactMap { slot in
            slot.connection.flatMap { connection in connection.attempt(of: pending).map { (connection, $0) } }
        }
        guard let (origin, attempt) = elsewhere.first else { return }
        pending.goBack(toAttempt: attempt)
        slot.cancelRunning()
        let (suspects, others) = origin.overtakable()
        askElsewhere(suspects + others)
    }

    private func askElsewhere(_ queries: [PendingQuery]) {
        for pending in queries {
            guard overtaking.spend() else { return }
            pending.wasOvertaken = true
            askAgain(pending)
        }
    }

    func expireWaiters() {
        if isOut { return lines.removeAll().refuse(.connectionFailure) }
        let now = loop.now
        let expired = lines.expire { deadline, waitDeadline in deadline <= now || waitDeadline <= now }
        counts.totalOverloaded &+= expired.queries.count + expired.leases.count
        expired.refuse(.overloaded)
    }
}
