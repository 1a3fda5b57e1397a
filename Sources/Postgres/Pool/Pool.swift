import EventLoop

/// The connections of one loop and the queries that wait for them. Belongs to its loop's thread.
///
/// ``LanePolicy`` chooses the connection, ``ShapeHistory`` knows which statements are fast, and every ten milliseconds
/// it looks for what takes too long.
final class Pool {
    let loop: EventLoop
    let configuration: DatabaseConfiguration
    let policy: LanePolicy
    /// nil if they are wrong.
    let settings: ConnectionSettings?
    let onEvent: @Sendable (DatabaseEvent) -> Void

    private(set) var slots: [Slot] = []
    var places: [LanePolicy.Place]
    let queues = WaitQueues()
    let clock: PoolClock
    /// Counts the looks, see ``startWatching()``.
    var turn = 0
    let known = KnownStatements()
    var overtaking = RetryBudget()
    var availability: Availability
    let serverProbe: ServerProbe
    var counts = DatabaseStatistics()
    /// Queries that are sent again in a moment.
    private var postponed: [PendingQuery] = []
    private(set) var isClosed = false
    /// When a connection was last retired.
    var retiredAt = LoopInstant.distantPast
    /// Called when the first connection is up, and after every outage.
    var whenUp: (() -> Void)?
    /// Called when a statement's result has got other types.
    var whenStale: (() -> Void)?
    /// Whether a connection is kept for a lease that comes next, see ``pumpLeases()``.
    var hasReservation = false
    private var isPumping = false
    private var mustPumpAgain = false
    private var isWritesTurn = false

    init(
        loop: EventLoop,
        configuration: DatabaseConfiguration,
        settings: ConnectionSettings?,
        connections: Int,
        onEvent: @escaping @Sendable (DatabaseEvent) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.onEvent = onEvent
        self.settings = settings
        policy = LanePolicy(count: connections, maximumDepth: configuration.depthLimit)
        places = Array(repeating: LanePolicy.Place(), count: policy.count)
        clock = PoolClock(loop: loop)
        serverProbe = ServerProbe(isBehindPooler: configuration.isBehindPooler, on: loop)
        availability = Availability(grace: configuration.outageGrace, silenceLimit: configuration.silenceLimit)
        slots = (0..<policy.count).map { index in
            Slot(
                index: index,
                loop: loop,
                configuration: configuration,
                known: known,
                settings: settings ?? ConnectionSettings([:]),
                report: { [self] in take($1, from: $0) }
            )
        }
    }

    func start() {
        availability.started(at: loop.now)
        guard settings != nil else {
            isClosed = true
            return onEvent(.connectionFailed(loop: loop.index, reason: "DATABASE_URL is not a libpq connection string"))
        }
        for slot in slots { slot.connect() }
    }

    /// Fails all waiting queries and closes the connections.
    func close() {
        isClosed = true
        queues.removeAll().refuse(.connectionFailure)
        for pending in takePostponed(postponed.count) { pending.finish(.connectionFailure) }
        for slot in slots { slot.close() }
        serverProbe.cancel()
        clock.stop()
    }

    // MARK: - Queries

    /// Runs one call, on the lease's connection if there is one, and returns when it is
    /// done; abandons it when the task is cancelled.
    func run(_ pending: PendingQuery, in lease: Lease? = nil) async {
        let call = LoopBound((self, pending), on: loop)
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                unsafe pending.caller = .task(continuation)
                if let lease { submit(pending, in: lease) } else { submit(pending) }
            }
        } onCancel: {
            call.loop.execute {
                let (pool, pending) = call.value
                pool.abandon(pending, .cancelled)
            }
        }
    }

    func submit(_ pending: PendingQuery) {
        overtaking.earn()
        if let fault = pending.fault { return pending.finish(fault) }
        guard !isOut else { return pending.finish(.connectionFailure) }
        startWatching()
        route(pending, mayWait: queues.count < configuration.maximumWaiters)
    }

    /// True when the server is not there, or the pool is closed.
    var isOut: Bool { isClosed || availability.isOut(at: loop.now) }

    /// Sends a call once more that got no result and may be repeated.
    func retry(_ pending: PendingQuery) {
        guard pending.state != .done else { return }
        counts.totalRetried &+= 1
        pending.markWaiting()
        pending.waitDeadline = .distantFuture
        guard !isOut else { return pending.finish(.connectionFailure) }
        // It may have been nowhere for a moment, and nothing to watch.
        startWatching()
        route(pending, mayWait: true)
    }

    /// Ends the caller's wait. A query alone on its connection is cancelled; one
    /// that shares a connection runs to its end.
    func abandon(_ pending: PendingQuery, _ error: PostgresError) {
        guard pending.state != .done else { return }
        let slot = pending.state == .sent ? slots.first { $0.isAlone(pending) } : nil
        pending.finish(error)
        guard let slot else { return }
        places[slot.index].isHeld = true
        slot.cancelRunning()
    }

    func route(_ pending: PendingQuery, mayWait: Bool) {
        let lane = known.history.lane(of: pending)
        if queues.isEmpty(lane), let index = policy.place(for: lane, places) { return send(pending, to: index) }
        guard mayWait else {
            counts.totalOverloaded &+= 1
            return pending.finish(.overloaded)
        }
        pending.waitDeadline = min(pending.waitDeadline, loop.now + configuration.waitTimeout)
        switch lane {
        case .point: queues.points.append(pending)
        case .heavy: queues.heavies.append(pending)
        case .write: queues.writes.append(pending)
        case .lease(let isSlow):
            queues.leases.append(Lease(.query(pending), isSlow: isSlow, waitDeadline: pending.waitDeadline))
        }
        pump()
    }

    func send(_ pending: PendingQuery, to index: Int, alone: Bool = false) {
        guard let connection = slots[index].connection else { return pending.finish(.connectionFailure) }
        connection.send(pending, alone: alone)
        places[index].depth = connection.depth
    }

    /// Refuses the queries that have waited for too long, and everything during an outage.
    func expireWaiters() {
        if isOut { return queues.removeAll().refuse(.connectionFailure) }
        let expired = queues.expire(at: loop.now)
        counts.totalOverloaded &+= expired.queries.count { $0.state != .done }
        counts.totalOverloaded &+= expired.leases.count { !$0.isAbandoned }
        expired.refuse(.overloaded)
    }

    /// Sends what waits to the connections that have become free.
    func pump() {
        guard !queues.isEmpty || hasReservation else { return }
        guard !isPumping else { return mustPumpAgain = true }
        isPumping = true
        repeat {
            mustPumpAgain = false
            pumpLeases()
            pump(queues.points) { _ in policy.placeForPoint(places) }
            // In turns, or one queue could starve the other.
            isWritesTurn.toggle()
            if isWritesTurn { refillWrites() }
            refill(queues.heavies, upTo: policy.heavyRefill, policy.placeForHeavy)
            if !isWritesTurn { refillWrites() }
        } while mustPumpAgain
        isPumping = false
    }

    private func refillWrites() { refill(queues.writes, upTo: policy.writeRefill, policy.placeForWrite) }

    private func refill(
        _ queue: WaitQueue<PendingQuery>,
        upTo limit: Int,
        _ choose: ([LanePolicy.Place]) -> Int?
    ) {
        guard let first = queue.first else { return }
        policy.openForRefill(&places, upTo: limit, waiting: queue.count * first.partCount)
        pump(queue) { known.history.isShort($0) ? policy.placeForRefill(places, orElse: choose) : choose(places) }
    }

    private func pump(_ queue: WaitQueue<PendingQuery>, _ choose: (PendingQuery) -> Int?) {
        while let pending = queue.first {
            guard pending.state != .done else {
                _ = queue.removeFirst()
                continue
            }
            guard let index = choose(pending) else { return }
            _ = queue.removeFirst()
            send(pending, to: index)
        }
    }

    // MARK: - Retries

    /// Retries after a moment. Whatever broke one connection is likely to break the others at the
    /// same time, and a retry on one of them would be lost as well; the winner of a deadlock must
    /// have taken its lock, or it is fought again.
    func retrySoon(_ queries: [PendingQuery]) {
        guard !queries.isEmpty else { return }
        // The loop may stop right after the shutdown, and its timers with it.
        if isClosed { return queries.forEach { $0.finish(.connectionFailure) } }
        postponed += queries
        _ = loop.schedule(after: .milliseconds(20)) { [self] in
            for pending in takePostponed(queries.count) { retry(pending) }
        }
    }

    /// The oldest ones; none once the pool is closed.
    private func takePostponed(_ count: Int) -> ArraySlice<PendingQuery> {
        let oldest = postponed.prefix(count)
        postponed.removeFirst(oldest.count)
        return oldest
    }

    // MARK: - Settings and statistics

    /// The deadline of a query submitted now.
    var deadline: LoopInstant { loop.now + configuration.queryTimeout }

    func forgetPrepared() { known.forgetPrepared() }

    var statistics: DatabaseStatistics {
        var counts = counts
        counts.connectionsUp = availability.connectionsUp
        counts.held = places.count(where: \.isHeld)
        counts.inFlight = places.reduce(0) { $0 + $1.depth }
        counts.waiting = queues.count
        return counts
    }
}
