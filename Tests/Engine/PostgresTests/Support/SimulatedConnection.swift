import SwiftletEventLoop

@testable import SwiftletPostgres

/// What ``Connection`` and its server do with what is sent, without either.
struct SimulatedConnection {
    /// What becomes of a call that is not answered.
    enum Fault { case lockTimeout, cancelled }

    private struct Batch {
        var calls: [PendingQuery] = []
        let sentAt: LoopInstant
        /// When each call ends, once the batch runs. Those behind a fault are aborted.
        var ends: [LoopInstant] = []
        var fault: Fault?
    }

    private(set) var ring = PipelineRing()
    private(set) var headSince = LoopInstant.distantPast
    private var heardAt = LoopInstant.distantPast
    private var batches: [Batch] = []
    private var open: Batch?
    private var stopwatch = BatchStopwatch()
    private var isRunning = false
    /// When the server has answered the first batch.
    private(set) var answersAt = LoopInstant.distantFuture
    var isCancellingBehindLock = false

    var status: ConnectionStatus {
        ConnectionStatus(
            depth: ring.count { $0.kind == .execute },
            isIdle: ring.isEmpty,
            stuckAt: ring.isEmpty
                ? .distantFuture : headSince + SimulatedPool.roundTrip + .milliseconds(20),
            isCancellingBehindLock: isCancellingBehindLock,
            running: isCancellingBehindLock ? batches.first?.calls.first : nil
        )
    }

    var snapshot: ConnectionSnapshot {
        ConnectionSnapshot(status: status, ring: ring, headSince: headSince, heardAt: heardAt)
    }

    // MARK: - Sending

    mutating func send(_ pending: PendingQuery, alone: Bool, at now: LoopInstant) {
        let alone = alone || !pending.isReadOnly || pending.mustBeAlone
        if alone { endTurn(at: now) }
        if ring.isEmpty { headSince = now }
        pending.markSent()
        ring.append(PipelineRing.Entry(kind: .execute, attempt: pending.attempt, pending: pending))
        var batch = open ?? Batch(sentAt: now)
        batch.calls.append(pending)
        open = batch
        if alone { endBatch(of: pending) }
    }

    mutating func endTurn(at now: LoopInstant) {
        if open != nil { endBatch(of: nil) }
    }

    mutating func probe(at now: LoopInstant) {
        if ring.isEmpty { headSince = now }
        open = Batch(sentAt: now)
        endBatch(of: nil)
    }

    private mutating func endBatch(of pending: PendingQuery?) {
        guard let batch = open.take() else { return }
        let end = PipelineRing.Entry(
            kind: .sync,
            attempt: pending?.attempt ?? 0,
            pending: pending,
            sentAt: batch.sentAt.nanoseconds
        )
        ring.append(end)
        batches.append(batch)
    }

    // MARK: - The server

    /// Lets the server begin with the first batch, if it is idle. `run` tells how long a call takes, and how it ends.
    mutating func begin(at now: LoopInstant, run: (PendingQuery) -> (Duration, Fault?)) {
        guard !isRunning, var batch = batches.first else { return }
        isRunning = true
        var end = max(now, batch.sentAt + SimulatedPool.roundTrip)
        for call in batch.calls where batch.fault == nil {
            let (duration, fault) = run(call)
            end = end + duration
            batch.ends.append(end)
            batch.fault = fault
        }
        batches[0] = batch
        answersAt = end
    }

    /// Cancels the call that runs.
    mutating func cancel(at now: LoopInstant) {
        guard isRunning, now < answersAt, let index = batches[0].ends.firstIndex(where: { $0 > now }) else { return }
        batches[0].ends.removeSubrange(index...)
        batches[0].ends.append(now)
        batches[0].fault = .cancelled
        answersAt = now
    }

    // MARK: - Receiving

    /// Takes the answers to the first batch, as ``Connection`` does. `retry` gets the calls that are repeated, and whether
    /// as slow ones.
    mutating func answer(at now: LoopInstant, recordIn known: PreparedNames, retry: (PendingQuery, Bool) -> Void) {
        guard isRunning else { return }
        let batch = batches.removeFirst()
        isRunning = false
        answersAt = .distantFuture
        heardAt = now
        headSince = now
        for index in batch.calls.indices {
            guard let entry = ring.removeFirst() else { return }
            let isLast = index == batch.ends.count - 1
            if index >= batch.ends.count {
                abort(entry, retry)
            } else if let fault = batch.fault, isLast {
                fail(entry, fault, known, retry)
            } else {
                known.history.admit(batch.calls[index].statement)
                stopwatch.noteEnd(of: batch.calls[index].statement)
                if let receiver = entry.receiver, receiver.isReadOnly { receiver.finish() }
            }
        }
        guard let end = ring.removeFirst() else { return }
        end.live?.finish()
        stopwatch.endBatch(sentAt: end.sentAt, now: now.nanoseconds, recordIn: &known.history)
    }

    private func abort(_ entry: PipelineRing.Entry, _ retry: (PendingQuery, Bool) -> Void) {
        guard let pending = entry.live else { return }
        guard pending.retries.insert(.aborted).inserted else { return pending.finish(.abortedTwice) }
        pending.markWaiting()
        retry(pending, false)
    }

    private mutating func fail(
        _ entry: PipelineRing.Entry,
        _ fault: Fault,
        _ known: PreparedNames,
        _ retry: (PendingQuery, Bool) -> Void
    ) {
        stopwatch.noteCutShort()
        if fault == .lockTimeout {
            if let statement = entry.statement { known.history.noteLockedOut(statement) }
            isCancellingBehindLock = true
        }
        guard let pending = entry.live else { return }
        let state: SQLState = fault == .lockTimeout ? .lockNotAvailable : .queryCancelled
        guard isCancellingBehindLock, pending.retries.insert(.lockedOut).inserted else {
            return pending.finish(PostgresError(kind: .server, state: state, message: "\(fault)"))
        }
        pending.markWaiting()
        retry(pending, true)
    }
}
