import SwiftletEventLoop

/// What becomes of queries that fail, and of those that a connection leaves behind.
extension Connection {
    func headWasAborted() {
        isHeadAnswered = true
        guard let head = ring.first else { return }
        if head.kind == .prepare, let statement = head.statement { prepared.forget(statement) }
        guard head.kind == .execute, let pending = head.live else { return }
        if isInTransactionBlock || pending.retries.contains(.aborted) { return finish(pending, .abortedTwice) }
        pending.retries.insert(.aborted)
        pending.markWaiting()
        deferred.append { [self] in report(self, .retry(pending)) }
    }

    func headFailed(_ error: PostgresError) {
        isHeadAnswered = true
        guard let head = ring.first else { return }
        // Nobody else uses these names, so this is not one session, and answers may go astray.
        if head.kind == .prepare, error.state == .duplicatePreparedStatement, !prepared.isReused(head.statement) {
            return die("a transaction pooler is in between: set DATABASE_PREPARED=off")
        }
        // With NOWAIT the same state is reported from where the lock is asked for.
        let waitedForLock = error.state == .lockNotAvailable && error.routine == "ProcessInterrupts"
        recordInterruption(of: head.statement, error, waitedForLock: waitedForLock)
        let isOthersFault = waitedForLock || failedBecauseOfOthers(error)
        let isPrepareLost = isPrepared && prepared.correct(head, error, generation: known.generation, inFlight: ring)
        if isPrepareLost, error.state == .featureNotSupported { report(self, .resultHasChanged) }
        // Some statements make their own transaction read-only.
        if error.state == .readOnlyTransaction, head.pending?.isIsolated != true {
            deferred.append { [self] in report(self, .isReadOnly) }
        }
        guard let pending = head.live else { return }
        pending.failedPart = Int(head.part)
        guard !isInTransactionBlock else { return finish(pending, error) }
        // Refused before it ran, and the batch rolls back what ran before it: even a write may be retried. On this
        // connection, because only here is it known what is prepared.
        if isPrepareLost, !pending.retries.contains(.unprepared) {
            pending.retries.insert(.unprepared)
            pending.markWaiting()
            return deferred.append { [self] in
                if isAlive { send(pending, alone: true) } else { report(self, .retry(pending)) }
            }
        }
        // It had no effect, so even a write may be retried, now where nothing else waits behind it.
        if isOthersFault, pending.isAtomic, !pending.retries.contains(.lockedOut) {
            pending.retries.insert(.lockedOut)
            pending.markWaiting()
            let isCollision = error.state == .deadlockDetected || error.state == .serializationFailure
            return deferred.append { [self] in
                report(self, isCollision ? .retrySoon(pending) : .retryAsSlow(pending))
            }
        }
        finish(pending, error)
    }

    /// Records that a statement was cut short, and that those behind it are to be cancelled after a lock timeout.
    private func recordInterruption(of statement: Statement?, _ error: PostgresError, waitedForLock: Bool) {
        if error.state == .lockNotAvailable || error.state == .queryCancelled { stopwatch.noteCutShort() }
        guard waitedForLock else { return }
        if let statement { known.history.noteLockedOut(statement) }
        isCancellingBehindLock = !isInTransactionBlock
    }

    /// Whether the statement was cancelled behind one that had waited for a lock, lost a deadlock, or collided with
    /// another transaction.
    private func failedBecauseOfOthers(_ error: PostgresError) -> Bool {
        switch error.state {
        case .queryCancelled: isCancellingBehindLock
        case .deadlockDetected, .serializationFailure: true
        default: false
        }
    }

    func finish(_ pending: PendingQuery, _ error: PostgresError? = nil) {
        if pending.runsNoClosure { return pending.finish(error) }
        deferred.append { pending.finish(error) }
    }

    /// As ``die(_:byAdministrator:)``, and what the server has not received yet is never sent again: a write among it
    /// would happen after its caller was told that nobody knows.
    func abort(_ reason: String) {
        if isAlive { SystemCall.resetOnClose(handle.descriptor) }
        die(reason)
    }

    func die(of error: PostgresError) { die(error.message, byAdministrator: error.state == .adminShutdown) }

    /// Gives up the connection and reports the unanswered queries. `byAdministrator` means that it was
    /// none of these queries that broke it.
    func die(_ reason: String, byAdministrator: Bool = false) {
        guard isAlive else { return }
        isAlive = false
        if let registration { loop.deregister(registration) }
        registration = nil
        unanswered = 0
        var lost: [PendingQuery] = []
        while let entry = ring.removeFirst() {
            guard let pending = entry.live else { continue }
            if !lost.contains(where: { $0 === pending }) { lost.append(pending) }
        }
        let loss = ConnectionLoss(
            queries: lost,
            reason: reason,
            isByAdministrator: byAdministrator,
            wasInTransactionBlock: isInTransactionBlock
        )
        report(self, .died(loss))
    }
}
