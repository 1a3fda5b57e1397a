import SwiftletEventLoop

/// What the pool does about statements that time out on a lock.
extension PoolState {
    /// Retries a call that timed out on a lock, as a slow query now; those of
    /// the same shape move from their queues, too.
    mutating func retryAsSlow(_ pending: PendingQuery, at now: LoopInstant) {
        for other in queues.removeMisplaced(known.history.workload) where other.state != .done {
            route(other, mayWait: true, at: now)
        }
        retry(pending, at: now)
    }

    /// Cancels what runs on a connection after a lock timeout if it was sent behind the statement that timed out and is
    /// of a shape that times out, because it would take as long again.
    ///
    /// Writes are left to their own timeout: a commit that waits for a standby would end that wait when cancelled.
    mutating func cancelBehindLockTimeout(_ index: Int, _ status: ConnectionStatus) {
        guard status.isCancellingBehindLock else { return }
        guard let running = status.running else {
            guard status.isIdle else { return }
            act(.endCancellingBehindLock(index))
            return holds[index].lastCancelled = nil
        }
        guard known.history.workload(of: running) == .lease(isSlow: true) else {
            if holds[index].cancels == 0 { act(.endCancellingBehindLock(index)) }
            return
        }
        guard running.isReadOnly, holds[index].lastCancelled !== running else { return }
        candidates[index].isHeld = true
        if cancel(index) { holds[index].lastCancelled = running }
    }
}
