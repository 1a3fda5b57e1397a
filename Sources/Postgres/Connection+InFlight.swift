import EventLoop

/// What is in flight on a connection, for the pool's decisions.
extension Connection {
    /// Reads that are held up by the running statement: those of the first batch, which are marked as suspects because
    /// any of them may be the one that runs, and those behind it.
    func overtakable() -> (suspects: [PendingQuery], others: [PendingQuery]) {
        var suspects: [PendingQuery] = []
        var others: [PendingQuery] = []
        var isFirstBatch = true
        ring.forEach { entry in
            if entry.kind == .sync { isFirstBatch = false }
            guard entry.kind == .execute, entry.part == 0 else { return }
            guard let pending = entry.live, pending.isReadOnly, !pending.wasOvertaken else { return }
            pending.isSuspect = isFirstBatch
            if isFirstBatch { suspects.append(pending) } else { others.append(pending) }
        }
        return (suspects, others)
    }

    /// The attempt at this query that is in flight here; nil when none is.
    func attempt(of pending: PendingQuery) -> UInt32? { ring.first { $0.pending === pending }?.attempt }

    /// The call whose statement runs; nil between batches.
    var running: PendingQuery? { ring.first.flatMap { $0.kind == .sync ? nil : $0.pending } }

    /// True when this query and nothing else is in flight.
    func isAlone(_ pending: PendingQuery) -> Bool { ring.holdsOnly(pending) }

    /// Calls back with each query whose caller still waits.
    func forEachLive(_ body: (PendingQuery) -> Void) {
        ring.forEach { entry in
            if let pending = entry.live { body(pending) }
        }
    }

    /// True when something is in flight and nothing of it writes: closing the connection loses nothing.
    var onlyReads: Bool {
        !isEmpty && !isInTransactionBlock && ring.first { $0.pending?.isReadOnly == false } == nil
    }

    /// True when the server has answered nothing since.
    func isSilent(since moment: LoopInstant) -> Bool { !isEmpty && max(headSince, heardAt) < moment }
}
