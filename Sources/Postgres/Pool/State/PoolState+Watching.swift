import EventLoop

/// Looks for what takes too long, every ten milliseconds while anything waits or is in flight.
extension Pool {
    /// Deadlines are checked on every tenth turn.
    private static let turnsPerSweep = 10

    @inline(__always)
    func startWatching() {
        if !clock.isRunning { clock.start { [self] in look() } }
    }

    /// Whether there is anything left to look at.
    private func look() -> Bool {
        turn &+= 1
        let now = loop.now
        for slot in slots {
            guard let connection = slot.connection, !connection.isEmpty else { continue }
            if connection.isEncrypted { connection.receive() }
            if connection.isStuck(at: now) { overtake(slot) }
        }
        if turn % Self.turnsPerSweep == 0 || isOut {
            expireWaiters()
            for slot in slots { sweep(slot, at: now) }
            checkForSilence(at: now)
            pump()
        }
        return !queues.isEmpty || slots.contains { $0.connection?.isEmpty == false }
    }

    private func sweep(_ slot: Slot, at now: LoopInstant) {
        guard let connection = slot.connection else { return }
        var late: [PendingQuery] = []
        connection.forEachLive { pending in
            if pending.deadline <= now { late.append(pending) }
        }
        for pending in late { abandon(pending, .timeout) }
        let limit = connection.headSince + configuration.queryTimeout + configuration.answerGrace
        if !connection.isEmpty, now > limit { connection.die("the server does not answer") }
    }
}
