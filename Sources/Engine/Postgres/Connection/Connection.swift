import SwiftletEventLoop

/// One established connection in pipeline mode: sends queries and matches the results to them. Belongs to its loop's
/// thread.
///
/// Reads queued in one turn of the loop form one batch, which ends with the turn. Everything else is a batch of its
/// own, because a batch is one implicit transaction: an error rolls back all of it. A write is finished when its batch
/// has ended, not when its rows arrive, since only then is it committed.
final class Connection: ReadinessHandler, TurnObserver {
    let loop: EventLoop
    let known: PreparedNames
    let report: (Connection, ConnectionReport) -> Void
    let handle: ConnectionHandle
    let isPrepared: Bool
    let isEncrypted: Bool
    /// How long a statement may run, on top of the round trip, before nothing more is queued behind it.
    private static let stuckLimitNanoseconds: Int64 = 20_000_000

    var isAlive = true
    var registration: Registration?
    /// False as soon as sending has failed; it dies a moment later.
    var canSend: Bool { isAlive && registration != nil }
    var ring = PipelineRing()
    var prepared = PreparedStatements()
    /// Reads queued since the last end of a batch.
    private var openBatch = 0
    private var wantsTurnEnd = false
    /// Inside a transaction nothing is retried: an error has already failed the transaction.
    var isInTransactionBlock = false
    /// A statement timed out on a lock, and those behind it may wait for the same one.
    var isCancellingBehindLock = false

    /// Statements queued and not answered yet.
    var unanswered = 0
    /// What counts against the limits of statements in flight; with ``DatabaseConfiguration/depthLimit`` the batch's end as well.
    var depth: Int { isPrepared || ring.isEmpty ? unanswered : max(1, unanswered) }
    /// When the statement at the head started, as far as the client can tell.
    private var headSince = LoopInstant.distantPast
    /// The statement at the head has a result, so that its end comes next.
    var isHeadAnswered = false
    var deferred: [() -> Void] = []
    var stopwatch = BatchStopwatch()
    /// When something last arrived.
    private var heardAt = LoopInstant.distantPast

    /// `report` is told of everything that happens here until the connection has died.
    init(
        adopting handle: consuming ConnectionHandle,
        on loop: EventLoop,
        isPrepared: Bool,
        known: PreparedNames,
        report: @escaping (Connection, ConnectionReport) -> Void
    ) {
        isEncrypted = handle.isEncrypted
        self.handle = handle
        self.loop = loop
        self.isPrepared = isPrepared
        self.known = known
        self.report = report
    }

    /// Starts to watch the socket; false when that fails. An empty batch measures the round trip.
    func open() -> Bool {
        registration = try? loop.register(handle.descriptor, .read, self)
        guard registration != nil else { return false }
        endBatch(of: nil)
        return canSend
    }

    var isEmpty: Bool { ring.isEmpty }

    var status: ConnectionStatus {
        ConnectionStatus(
            depth: depth,
            isIdle: isEmpty,
            canSend: canSend,
            isInTransaction: isEmpty && handle.isInTransaction,
            stuckAt: stuckAt,
            isCancellingBehindLock: isCancellingBehindLock,
            running: isCancellingBehindLock ? running : nil
        )
    }

    var snapshot: ConnectionSnapshot {
        ConnectionSnapshot(
            status: status,
            ring: ring,
            headSince: headSince,
            heardAt: heardAt,
            isInTransactionBlock: isInTransactionBlock
        )
    }

    private var stuckAt: LoopInstant {
        isEmpty ? .distantFuture : headSince.advanced(by: stopwatch.roundTrip &+ Self.stuckLimitNanoseconds)
    }

    /// The call whose statement runs; nil between batches.
    private var running: PendingQuery? { ring.first.flatMap { $0.kind == .sync ? nil : $0.pending } }

    func makeCanceller() -> Canceller? { handle.makeCanceller() }

    var server: ServerAddress { handle.server }

    // MARK: - Sending

    /// Queues a query. `alone` gives it a batch of its own even if it only reads.
    func send(_ pending: PendingQuery, alone: Bool) {
        let alone = alone || !pending.isReadOnly || pending.mustBeAlone || !isReady(pending)
        if alone, openBatch > 0 { endBatch(of: nil) }
        if ring.isEmpty { headSince = loop.now }
        if alone, canSend, isPrepared { deallocateStale(pending) }
        // The connection broke on what was sent before; nothing of this query was.
        guard canSend else {
            return isInTransactionBlock ? pending.finish(.connectionFailure) : report(self, .retrySoon(pending))
        }
        pending.markSent()
        for part in 0..<pending.partCount {
            guard queue(pending, part) else {
                // Part of it may have been sent, so it must be among the lost.
                append(.execute, pending, part)
                return sendingFailed()
            }
        }
        if alone {
            endBatch(of: pending)
            return pending.mayLeaveTraces ? resetSession(after: pending.statement) : ()
        }
        openBatch &+= 1
        guard !wantsTurnEnd else { return }
        wantsTurnEnd = true
        loop.afterTurn(self)
    }

    /// Takes back what statements may have set for the rest of the session, such as the role: the next one on this
    /// connection is somebody else's. In a batch of its own, as the transaction ends with the one before it: with
    /// `statement`, if it is one that was begun.
    private func resetSession(after statement: Statement) {
        guard canSend, isPrepared, !isInTransactionBlock || statement.endsOrBegins else { return }
        for text in Self.resets {
            guard handle.sendUnprepared(text, .none) else { return sendingFailed() }
            ring.append(PipelineRing.Entry(kind: .housekeeping))
        }
        endBatch(of: nil)
    }

    private static let resets = [
        "RESET SESSION AUTHORIZATION", "RESET ROLE", "RESET ALL", "SELECT pg_advisory_unlock_all()",
    ].map { ContiguousArray($0.utf8CString) }

    func turnEnded() {
        wantsTurnEnd = false
        if canSend, openBatch > 0 { endBatch(of: nil) }
    }

    /// Sends what is answered with a sign of life: an empty batch, and behind a pooler a query.
    func sendProbe() {
        if ring.isEmpty { headSince = loop.now }
        if !isPrepared {
            guard handle.sendProbe() else { return sendingFailed() }
            ring.append(PipelineRing.Entry(kind: .housekeeping))
        }
        endBatch(of: nil)
    }

    /// Sends an empty batch, whose end is reported: a signal that was sent before has reached the server's process by
    /// then.
    func confirmCancel() {
        if openBatch > 0 { endBatch(of: nil) }
        endBatch(of: nil, confirmsCancel: true)
    }

    private func isReady(_ pending: PendingQuery) -> Bool {
        guard isPrepared else { return true }
        for part in 0..<pending.partCount {
            let state = prepared.state(of: pending.statement(at: part), generation: known.generation)
            if state != .ready { return false }
        }
        return true
    }

    private func queue(_ pending: PendingQuery, _ part: Int) -> Bool {
        let statement = pending.statement(at: part)
        known.history.admit(statement)
        // After the server has lost the statement once, it is not prepared again: others in flight may make the server
        // lose it a second time.
        if isPrepared, !pending.retries.contains(.unprepared) {
            guard prepare(statement, for: pending, part) else { return false }
            guard handle.sendPrepared(statement, pending.parameters(at: part)) else { return false }
        } else {
            guard handle.sendUnprepared(statement.cText, pending.parameters(at: part)) else { return false }
        }
        append(.execute, pending, part)
        unanswered &+= 1
        return true
    }

    /// Prepares the statement unless this connection already has.
    private func prepare(_ statement: Statement, for pending: PendingQuery, _ part: Int) -> Bool {
        if prepared.state(of: statement, generation: known.generation) == .ready { return true }
        guard handle.sendPrepare(statement) else { return false }
        append(.prepare, pending, part)
        prepared.note(statement, generation: known.generation)
        stopwatch.notePreparation()
        return true
    }

    /// Deallocates statements that have to be prepared again, in a batch of their own: should the server no longer know
    /// one of them, that error must not fail the query.
    private func deallocateStale(_ pending: PendingQuery) {
        var isNeeded = false
        for part in 0..<pending.partCount {
            let statement = pending.statement(at: part)
            guard case .stale(let id) = prepared.state(of: statement, generation: known.generation) else { continue }
            let deallocate = ContiguousArray("DEALLOCATE \(Statement.name(id: id))".utf8CString)
            guard handle.sendUnprepared(deallocate, .none) else { return sendingFailed() }
            ring.append(PipelineRing.Entry(kind: .housekeeping))
            prepared.clear(statement)
            isNeeded = true
        }
        if isNeeded { endBatch(of: nil) }
    }

    private func append(_ kind: PipelineRing.Kind, _ pending: PendingQuery, _ part: Int) {
        let part = UInt32(truncatingIfNeeded: part)
        ring.append(PipelineRing.Entry(kind: kind, part: part, attempt: pending.attempt, pending: pending))
    }

    private func endBatch(of pending: PendingQuery?, confirmsCancel: Bool = false) {
        openBatch = 0
        guard handle.sync() else { return sendingFailed() }
        let attempt = pending?.attempt ?? 0
        let now = SystemCall.monotonicTime()
        if ring.isEmpty { headSince = now }
        var end = PipelineRing.Entry(kind: .sync, attempt: attempt, pending: pending, sentAt: now.nanoseconds)
        end.confirmsCancel = confirmsCancel
        ring.append(end)
        flush()
    }

    /// While the socket takes no more, both directions are watched: the server may be waiting for us to read.
    private func flush() {
        guard let registration else { return }
        switch handle.flush() {
        case .done: loop.update(registration, .read)
        case .pending: loop.update(registration, [.read, .write])
        case .failed: sendingFailed()
        }
    }

    /// Gives up the connection in the next turn. libpq has closed the socket, so the poller reports nothing more, but
    /// what the server said before, such as why it closed, is still to be taken, though not from within a call that
    /// sends.
    private func sendingFailed() {
        guard let registration else { return }
        loop.deregister(registration)
        self.registration = nil
        report(self, .isFailing)
        _ = loop.schedule(after: .zero) { [self] in
            takeAnswers()
            if isAlive { die(of: handle.takeLastError()) }
            report(self, .progress)
        }
    }

    // MARK: - Receiving

    func ready(_ readiness: Readiness) {
        guard isAlive else { return }
        if readiness.contains(.write) { flush() }
        if readiness.contains(.read) { heardAt = loop.now }
        receive()
    }

    /// Reads what has arrived. libpq may leave the rest of a TLS record inside OpenSSL, where the poller does not see
    /// it: an encrypted connection is therefore read twice, and it is to be read regularly.
    func receive() {
        // What a send that failed has read must be taken before the end of the connection is noticed.
        if !ring.isEmpty, !handle.isBusy { takeAnswers() }
        var isOpen = handle.consumeInput()
        takeAnswers()
        if isEncrypted, isOpen, isAlive, !ring.isEmpty {
            isOpen = handle.consumeInput()
            takeAnswers()
        }
        if isAlive, !isOpen || handle.isBad { die(of: handle.takeLastError()) }
        report(self, .progress)
    }

    /// Nothing may be sent between a result and the end of its statement: libpq would lose that end after a failed
    /// batch. Whatever may send is deferred until all results are taken.
    private func takeAnswers() {
        let now = SystemCall.monotonicTime()
        while isAlive, !ring.isEmpty, !handle.isBad, !handle.isBusy {
            headSince = now
            switch handle.nextResponse() {
            case .rows(let rows): take(rows)
            case .end: finishHead()
            case .sync: finishBatch(at: now.nanoseconds)
            case .aborted: headWasAborted()
            case .fatal(let error): die(of: error)
            case .failed(let error): headFailed(error)
            }
        }
        guard !deferred.isEmpty else { return }
        let actions = deferred
        deferred = []
        for action in actions { action() }
    }

    private func take(_ rows: consuming Rows) {
        isHeadAnswered = true
        guard let head = ring.first, head.kind == .execute, let pending = head.receiver else { return }
        pending.add(rows, part: Int(head.part))
    }

    /// The statement at the head has no further results.
    private func finishHead() {
        guard isHeadAnswered, let head = ring.first else { return die("the server's answers are out of step") }
        isHeadAnswered = false
        // An error at the end of a batch, such as a deferred constraint's, has an end of its own before the batch's.
        if head.kind == .sync { return }
        ring.removeFirst()
        guard head.kind == .execute else { return }
        unanswered &-= 1
        if let statement = head.statement { stopwatch.noteEnd(of: statement) }
        guard !isInTransactionBlock, let pending = head.receiver, pending.isReadOnly else { return }
        if pending.answeredParts == pending.partCount { finish(pending) }
    }

    private func finishBatch(at now: Int64) {
        guard let head = ring.first, head.kind == .sync else { return die("the server's answers are out of step") }
        ring.removeFirst()
        if let pending = head.live { finish(pending) }
        if head.confirmsCancel { report(self, .cancelHasArrived) }
        stopwatch.endBatch(sentAt: head.sentAt, now: now, recordIn: &known.history)
    }
}
