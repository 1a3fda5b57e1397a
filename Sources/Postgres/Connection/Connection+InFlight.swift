import EventLoop

/// What is in flight on a connection, for decisions about it.
extension Connection {
    /// Reads that are held up by the running statement: those of the first batch, which are marked as suspects because
    /// any of them may be the one that runs, and those behind it.
    func overtakable() -> (suspects: [PendingQuery], others: [PendingQuery]) {
        var suspects: [PendingQuery] = []
        var others: [PendingQuery] = []
        var isFirstBatch = true
        for entry in ring {
            if entry.kind == .sync { isFirstBatch = false }
            guard entry.kind == .execute, entry.part == 0 else { continue }
            guard let pending = entry.live, pending.isReadOnly, !pending.retries.contains(.overtaken) else { continue }
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
        for pending in ring.lazy.compactMap(\.live) { body(pending) }
    }

    /// True when something is in flight and nothing of it writes: closing the connection loses nothing.
    var onlyReads: Bool {
        !isEmpty && !isInTransactionBlock && !ring.contains { $0.pending?.isReadOnly == false }
    }

    /// Ends the reads in flight, but those of a transaction.
    func refuseReads() {
        guard !isInTransactionBlock else { return }
        var reads: [PendingQuery] = []
        forEachLive { if $0.isReadOnly { reads.append($0) } }
        for pending in reads { pending.finish(.connectionFailure) }
    }

    /// True when the server has answered nothing since.
    func isSilent(since moment: LoopInstant) -> Bool { !isEmpty && max(headSince, heardAt) < moment }
}
