import EventLoop

/// Looks every ten milliseconds for what takes too long, as long as anything is under way in a pool.
final class PoolWatch {
    private static let interval = Duration.milliseconds(10)
    /// Deadlines are looked at in each tenth turn.
    private static let turnsPerSweep = 10
    /// How long after the deadline of everything on it a silent connection is given up.
    private static let silence = Duration.seconds(5)

    private let loop: EventLoop
    private var timer: LoopTimer?
    private var isRunning = false
    private var turn = 0

    init(loop: EventLoop) { self.loop = loop }

    @inline(__always)
    func start(_ pool: Pool) {
        if !isRunning { run(pool) }
    }

    private func run(_ pool: Pool) {
        isRunning = true
        let deadline = loop.now + Self.interval
        if let timer { return timer.reschedule(at: deadline) }
        timer = loop.schedule(at: deadline) { [weak self, weak pool] in
            guard let self, let pool else { return }
            look(pool)
        }
    }

    private func look(_ pool: Pool) {
        isRunning = false
        turn &+= 1
        let now = loop.now
        for slot in pool.slots {
            guard let connection = slot.connection, !connection.isEmpty else { continue }
            if connection.isEncrypted { connection.receive() }
            if connection.isStuck(at: now) { pool.overtake(slot) }
        }
        if turn % Self.turnsPerSweep == 0 || pool.isOut {
            pool.expireWaiters()
            for slot in pool.slots { sweep(slot, pool, now) }
            pool.pump()
        }
        if pool.isBusy { run(pool) }
    }

    private func sweep(_ slot: Slot, _ pool: Pool, _ now: LoopInstant) {
        guard let connection = slot.connection else { return }
        var late: [PendingQuery] = []
        connection.forEachLive { pending in
            if pending.deadline <= now { late.append(pending) }
        }
        for pending in late { pool.giveUp(pending, .timeout) }
        let limit = connection.headSince + pool.configuration.queryTimeout + Self.silence
        if !connection.isEmpty, now > limit { connection.die("the server does not answer") }
    }
}
