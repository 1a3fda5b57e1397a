import SwiftletEventLoop

/// A request for exclusive use of a connection, and then its grant. Belongs to its loop's thread.
@safe final class Lease {
    enum Purpose {
        /// One query that is slow, or of unknown duration.
        case query(PendingQuery)
        /// A transaction, which gives the connection back itself.
        case transaction
    }

    let purpose: Purpose
    let isSlow: Bool
    /// Whose share of the connections it takes.
    let guest: Guest?
    let waitDeadline: LoopInstant
    /// Set once granted.
    private(set) var connection: Connection?
    /// Why it was refused.
    private(set) var error: PostgresError?
    var caller: UnsafeContinuation<Void, Never>?

    init(_ purpose: Purpose, isSlow: Bool, guest: Guest? = nil, waitDeadline: LoopInstant) {
        self.purpose = purpose
        self.isSlow = isSlow
        self.guest = guest
        self.waitDeadline = waitDeadline
    }

    var query: PendingQuery? {
        if case .query(let pending) = purpose { pending } else { nil }
    }

    var deadline: LoopInstant { query?.deadline ?? waitDeadline }

    /// True when nobody waits for it any longer.
    var isAbandoned: Bool { query?.state == .done || error != nil }

    func grant(_ connection: Connection) {
        self.connection = connection
        wake()
    }

    /// Fails whoever waits, unless it was granted already.
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
