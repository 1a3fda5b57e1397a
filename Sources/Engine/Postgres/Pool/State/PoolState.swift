import SwiftletEventLoop

/// Decides for a pool which connection runs a call, what waits, and what is repeated, cancelled or closed.
///
/// Events in, actions out: it has neither I/O nor a clock. ``Pool`` tells it what happens and when, and performs its
/// actions in order before the next event. ``PlacementPolicy`` chooses the connection, and ``StatementHistory``, to which the
/// connections add, knows which statements are fast.
struct PoolState: ~Copyable {
    enum Action {
        /// `alone` gives the call a batch of its own.
        case send(PendingQuery, to: Int, alone: Bool)
        case finish(PendingQuery, PostgresError)
        /// The lease has this connection from now on.
        case grant(Lease, Int)
        case refuse(Lease, PostgresError)
        /// The connection serves everyone again.
        case release(Int)
        /// Ask the server to cancel what runs on the connection; the answer is ``cancelReturned(_:_:)``.
        case cancel(Int)
        /// What is cancelled on the connection from now on is no victim of a lock.
        case endCancellingBehindLock(Int)
        case close(Int, reason: String)
        /// As `close`, and what the server has not received yet is never sent.
        case abort(Int, reason: String)
        /// Ask for a sign of life on the connection.
        case probe(Int)
        /// Ask for a sign of life on a new connection.
        case probeServer
        /// Replace all connections that are lost, and tell who waits for the server.
        case welcomeServer
        case report(DatabaseEvent)
    }

    /// What keeps a connection from serving everyone.
    struct Hold {
        /// Who uses it exclusively.
        var lease: Lease?
        /// Requests to cancel that could still hit whatever runs next.
        var cancels = 0
        /// The server has not taken the last of them yet.
        var isAsking = false
        /// What was cancelled last after a lock timeout.
        var lastCancelled: PendingQuery?
        /// The session takes no changes, so it is to be replaced.
        var isRetired = false
    }

    let loop: Int
    let configuration: DatabaseConfiguration
    let policy: PlacementPolicy
    let known: PreparedNames
    var candidates: [PlacementPolicy.Candidate]
    var holds: [Hold]
    /// On each connection.
    var sent: [SentStatements]
    let queues = WaitQueues()
    /// Calls that are sent again in a moment.
    let postponed = WaitQueue<(query: PendingQuery, due: LoopInstant)>()
    var availability: Availability
    var counts = DatabaseStatistics()
    private(set) var isClosed = false
    /// Counts the looks, see ``look(_:probeHeardAt:at:)``.
    var turn = 0
    /// When a connection was last retired.
    var retiredAt = LoopInstant.distantPast
    /// Whether a connection is kept for a lease that comes next, see ``pumpLeases()``.
    var hasReservation = false
    private var isWritesTurn = false
    private var actions: [Action] = []
    private var performed = 0

    /// `loop` is the number of the loop in reports.
    init(configuration: DatabaseConfiguration, connections: Int, known: PreparedNames, loop: Int) {
        self.loop = loop
        self.configuration = configuration
        self.known = known
        policy = PlacementPolicy(count: connections, maximumDepth: configuration.depthLimit)
        candidates = Array(repeating: PlacementPolicy.Candidate(), count: policy.count)
        holds = Array(repeating: Hold(), count: policy.count)
        sent = Array(repeating: SentStatements(), count: policy.count)
        availability = Availability(grace: configuration.outageGrace, silenceLimit: configuration.silenceLimit)
    }

    // MARK: - Actions

    mutating func act(_ action: Action) { actions.append(action) }

    /// The next thing to be done; nil when there is nothing left.
    mutating func nextAction() -> Action? {
        guard performed < actions.count else {
            actions.removeAll(keepingCapacity: actions.count <= 256)
            performed = 0
            return nil
        }
        defer { performed &+= 1 }
        return actions[performed]
    }

    // MARK: - Calls

    mutating func submit(_ pending: PendingQuery, at now: LoopInstant) {
        if let fault = pending.fault { return act(.finish(pending, fault)) }
        guard !isOut(at: now) else { return act(.finish(pending, .connectionFailure)) }
        route(pending, mayWait: mayWait(pending.guest), at: now)
    }

    /// Sends a call once more that got no result and may be repeated.
    mutating func retry(_ pending: PendingQuery, at now: LoopInstant) {
        guard pending.state != .done else { return }
        counts.totalRetried &+= 1
        pending.markWaiting()
        pending.waitDeadline = .distantFuture
        guard !isOut(at: now) else { return act(.finish(pending, .connectionFailure)) }
        route(pending, mayWait: true, at: now)
    }

    /// As ``retry(_:at:)``, after a moment. Whatever broke one connection is likely to break the others at the same time,
    /// and a retry on one of them would be lost as well; the winner of a deadlock must have taken its lock, or it is
    /// fought again.
    mutating func retrySoon(_ pending: PendingQuery, at now: LoopInstant) {
        // The loop may stop right after the shutdown.
        if isClosed { return act(.finish(pending, .connectionFailure)) }
        postponed.append((pending, now + .milliseconds(20)))
    }

    /// The connection was lost before the call was sent: as if nothing had happened.
    mutating func couldNotSend(_ pending: PendingQuery, at now: LoopInstant) {
        guard !isOut(at: now) else { return act(.finish(pending, .connectionFailure)) }
        route(pending, mayWait: true, at: now)
    }

    /// Ends the caller's wait. A call alone on its connection is cancelled; one that shares a connection runs to its end.
    mutating func abandon(_ pending: PendingQuery, _ error: PostgresError, _ connections: [ConnectionSnapshot?]) {
        guard pending.state != .done else { return }
        let alone = pending.state == .sent ? connections.firstIndex { $0?.ring.holdsOnly(pending) == true } : nil
        act(.finish(pending, error))
        guard let alone else { return }
        candidates[alone].isHeld = true
        cancel(alone)
    }

    mutating func route(_ pending: PendingQuery, mayWait: Bool, at now: LoopInstant) {
        let workload = known.history.workload(of: pending)
        let isGuest = pending.guest != nil
        if queues.isEmpty(workload, isGuest: isGuest),
            let index = policy.index(for: workload, candidates(for: pending.guest), isGuest: isGuest)
        {
            return send(pending, to: index)
        }
        guard mayWait else {
            counts.totalOverloaded &+= 1
            return act(.finish(pending, .overloaded))
        }
        pending.waitDeadline = min(pending.waitDeadline, now + configuration.waitTimeout)
        switch workload {
        case .point: queues.points.append(pending)
        case .heavy: queues.append(pending, toPages: true)
        case .write: queues.append(pending, toPages: false)
        case .lease(let isSlow):
            let deadline = pending.waitDeadline
            queues.leases.append(
                Lease(.query(pending), isSlow: isSlow, guest: pending.guest, waitDeadline: deadline)
            )
        }
        pump(at: now)
    }

    mutating func send(_ pending: PendingQuery, to index: Int, alone: Bool = false) {
        candidates[index].depth &+= pending.partCount
        candidates[index].isIdle = false
        sent[index].note(pending.guest, partCount: pending.partCount)
        act(.send(pending, to: index, alone: alone))
    }

    /// Asks to cancel what runs on the connection, unless the server has not taken the last request yet. Nobody else gets
    /// the connection until all requests are over.
    @discardableResult
    mutating func cancel(_ index: Int) -> Bool {
        guard !holds[index].isAsking else { return false }
        holds[index].isAsking = true
        holds[index].cancels += 1
        act(.cancel(index))
        return true
    }

    // MARK: - Queues

    /// Sends what waits to the connections that have become free.
    mutating func pump(at now: LoopInstant) {
        guard !queues.isEmpty || hasReservation else { return }
        pumpLeases(at: now)
        pump(queues.points, .point)
        // In turns, or one queue could starve the other.
        isWritesTurn.toggle()
        if isWritesTurn { refillWrites() }
        refill(queues.heavies, .heavy, upTo: policy.heavyRefill)
        refill(queues.guestHeavies, .heavy, upTo: policy.heavyRefill)
        if !isWritesTurn { refillWrites() }
    }

    private mutating func refillWrites() {
        refill(queues.writes, .write, upTo: policy.writeRefill)
        refill(queues.guestWrites, .write, upTo: policy.writeRefill)
    }

    private mutating func refill(_ queue: WaitQueue<PendingQuery>, _ workload: Workload, upTo limit: Int) {
        guard let first = queue.first else { return }
        policy.openForRefill(&candidates, upTo: limit, waiting: queue.count * first.partCount)
        pump(queue, workload, isRefill: true)
    }

    private mutating func pump(_ queue: WaitQueue<PendingQuery>, _ workload: Workload, isRefill: Bool = false) {
        // What may take long, of those who may use no further connection for it, lets the rest pass.
        var passed: Set<Guest> = []
        while let pending = queue.first(where: { $0.guest.map { !$0.mayTakeLong || !passed.contains($0) } ?? true }) {
            guard pending.state != .done else {
                _ = queue.removeFirst { $0 === pending }
                continue
            }
            let isRefill = isRefill && known.history.isShort(pending)
            let isGuest = pending.guest != nil
            let open = candidates(for: pending.guest)
            let next =
                isRefill
                ? policy.indexForRefill(open, workload, isGuest: isGuest)
                : policy.index(for: workload, open, isGuest: isGuest)
            guard let index = next else {
                guard let guest = pending.guest, guest.mayTakeLong, isAtLimit(guest) else { return }
                passed.insert(guest)
                continue
            }
            _ = queue.removeFirst { $0 === pending }
            send(pending, to: index)
        }
    }

    /// Refuses what has waited for too long, and everything during an outage.
    mutating func expireWaiters(at now: LoopInstant) {
        if isOut(at: now) { return refuse(queues.removeAll(), .connectionFailure) }
        let expired = queues.expire(at: now)
        counts.totalOverloaded &+= expired.queries.count { $0.state != .done }
        counts.totalOverloaded &+= expired.leases.count { !$0.isAbandoned }
        refuse(expired, .waitedTooLong)
    }

    private mutating func refuse(_ expired: WaitQueues.Expired, _ error: PostgresError) {
        for pending in expired.queries { act(.finish(pending, error)) }
        for lease in expired.leases { act(.refuse(lease, error)) }
    }

    // MARK: - Start, end and statistics

    mutating func started(at now: LoopInstant) { availability.started(at: now) }

    /// Refuses all that waits.
    mutating func close() {
        isClosed = true
        refuse(queues.removeAll(), .connectionFailure)
        for (pending, _) in postponed.removeAll() { act(.finish(pending, .connectionFailure)) }
    }

    /// True when the server is not there, or the pool is closed.
    func isOut(at now: LoopInstant) -> Bool { isClosed || availability.isOut(at: now) }

    /// Whether anything waits here, which has to be looked after.
    var isWaiting: Bool { !queues.isEmpty || !postponed.isEmpty }

    var statistics: DatabaseStatistics {
        var counts = counts
        counts.connectionsUp = availability.connectionsUp
        counts.held = candidates.count(where: \.isHeld)
        counts.inFlight = candidates.reduce(0) { $0 + $1.depth }
        counts.waiting = queues.count
        return counts
    }
}
