import SwiftletEventLoop

/// What a connection looks like from outside, for the decisions after its answers.
struct ConnectionStatus {
    /// What counts against the limits of statements in flight.
    var depth = 0
    /// Nothing is in flight.
    var isIdle = true
    /// False as soon as sending has failed; it dies a moment later.
    var canSend = true
    /// The server is in a transaction. Meaningful while nothing is in flight.
    var isInTransaction = false
    /// When what runs has taken so long that nothing more is sent behind it.
    var stuckAt = LoopInstant.distantFuture
    /// A statement timed out on a lock, and those behind it may wait for the same one.
    var isCancellingBehindLock = false
    /// What runs, while that is so.
    var running: PendingQuery?
}

/// A connection at one moment, with everything that is in flight on it. Not to be kept: while there is a copy of the
/// ring, each change copies all of it.
struct ConnectionSnapshot {
    var status = ConnectionStatus()
    var ring = PipelineRing()
    /// When what runs began.
    var headSince = LoopInstant.distantPast
    /// When something last arrived.
    var heardAt = LoopInstant.distantPast
    /// A transaction has it.
    var isInTransactionBlock = false

    /// True when something is in flight and nothing of it writes: closing the connection loses nothing.
    var onlyReads: Bool {
        !ring.isEmpty && !isInTransactionBlock && !ring.contains { $0.pending?.isReadOnly == false }
    }

    /// True when the server has answered nothing since.
    func isSilent(since moment: LoopInstant) -> Bool { !ring.isEmpty && max(headSince, heardAt) < moment }
}
