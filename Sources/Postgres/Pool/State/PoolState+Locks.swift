/// What the pool does about statements that time out on a lock.
extension Pool {
    /// Retries a call that timed out on a lock, as a slow query now; those of
    /// the same shape move from their queues, too.
    func retryAsSlow(_ pending: PendingQuery) {
        for other in queues.removeMisplaced(known.history.lane) where other.state != .done {
            route(other, mayWait: true)
        }
        retry(pending)
    }

    /// Cancels what runs on a connection after a lock timeout if it was sent behind the statement that timed out and is
    /// of a shape that times out, because it would take as long again.
    ///
    /// Writes are left to their own timeout: a commit that waits for a standby would end that wait when cancelled.
    func cancelBehindLockTimeout(_ slot: Slot) {
        guard let connection = slot.connection, connection.isCancellingBehindLock else { return }
        guard let running = connection.running else {
            guard connection.isEmpty else { return }
            connection.isCancellingBehindLock = false
            slot.lastCancelled = nil
            return
        }
        guard known.history.lane(of: running) == .lease(isSlow: true) else {
            connection.isCancellingBehindLock = slot.isCancelling
            return
        }
        guard running.isReadOnly, slot.lastCancelled !== running else { return }
        places[slot.index].isHeld = true
        if slot.cancelRunning() { slot.lastCancelled = running }
    }
}
