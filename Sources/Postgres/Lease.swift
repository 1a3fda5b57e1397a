import EventLoop

/// A wish for a connection of one's own, and then the having of it. Belongs to its loop's thread.
@safe final class Lease {
    enum Purpose {
        /// One query that is slow, or whose speed is not known.
        case query(PendingQuery)
        /// A transaction, which says itself when it is over.
        case transaction
    }

    let purpose: Purpose
    let isSlow: Bool
    let waitDeadline: LoopInstant
    /// Set when it is granted.
    private(set) var connection: Connection?
    /// Why it is not going to be granted.
    private(set) var error: PostgresError?
    var caller: UnsafeContinuation<Void, Never>?

    init(_ purpose: Purpose, isSlow: Bool, waitDeadline: LoopInstant) {
        self.purpose = purpose
        self.isSlow = isSlow
        self.waitDeadline = waitDeadline
    }

    var query: PendingQuery? {
        if case .query(let pending) = purpose { pending } else { nil }
    }

    var deadline: LoopInstant { query?.deadline ?? waitDeadline }

    /// True when nobody waits for it any more.
    var isAbandoned: Bool { query?.state == .done || error != nil }

    func grant(_ connection: Connection) {
        self.connection = connection
        wake()
    }

    /// Ends the wait of whoever waits.
    func refuse(_ error: PostgresError) {
        guard connection == nil, self.error == nil else { return }
        self.error = error
        query?.finish(error)
        wake()
    }

    private func wake() {
        let caller = unsafe caller.take()
        unsafe caller?.resume()
    }
}
