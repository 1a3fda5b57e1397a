import EventLoop

/// Looks for what takes too long, every ten milliseconds while anything waits or is in flight in a pool.
final class PoolWatch {
    private static let interval = Duration.milliseconds(10)
    /// Deadlines are checked on every tenth turn.
    private static let turnsPerSweep = 10

    private let loop: EventLoop
    /// While this runs. A weak reference would cost every use of the pool an indirection.
    private var pool: Pool?
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
        self.pool = pool
        let deadline = loop.now + Self.interval
        if let timer { return timer.reschedule(at: deadline) }
        timer = loop.schedule(at: deadline) { [weak self] in self?.look() }
    }

    func stop() {
        timer?.cancel()
        pool = nil
        isRunning = false
    }

    private func look() {
        isRunning = false
        guard let pool else { return }
        self.pool = nil
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
            pool.checkForSilence(at: now)
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
        for pending in late { pool.abandon(pending, .timeout) }
        let limit = connection.headSince + pool.configuration.queryTimeout + pool.configuration.answerGrace
        if !connection.isEmpty, now > limit { connection.die("the server does not answer") }
    }
}
