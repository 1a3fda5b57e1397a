import SwiftletEventLoop

/// How far a stream has got, and when to say so. Holds no connection, so that tests move its clock.
///
/// What the consumer has confirmed is confirmed to the server. While nothing waits for the consumer, what the server
/// has passed over is confirmed as well: else an idle table would keep the log of all others.
struct StreamProgress {
    /// Between two statuses without a reason.
    static let statusInterval = Duration.seconds(3)
    /// A server that sends nothing for so long is lost. It is told to send within half of its own limit, which is ten.
    static let silenceLimit = Duration.seconds(15)

    private(set) var received = LogSequenceNumber.zero
    private(set) var confirmed: LogSequenceNumber
    /// The end of the last transaction that was handed over.
    private var delivered = LogSequenceNumber.zero
    private var isInTransaction = false
    private(set) var nextStatus: LoopInstant
    private(set) var lostAt: LoopInstant

    init(from start: LogSequenceNumber, at now: LoopInstant) {
        confirmed = start
        nextStatus = now + Self.statusInterval
        lostAt = now + Self.silenceLimit
    }

    /// Records a message; true when a status should be sent at once.
    mutating func note(_ frame: StreamFrame, at now: LoopInstant) -> Bool {
        lostAt = now + Self.silenceLimit
        guard case .keepAlive(let end, let wantsReply) = frame else { return false }
        received = max(received, end)
        passOver()
        return wantsReply
    }

    mutating func note(_ message: LogicalMessage) {
        switch message {
        case .begin: isInTransaction = true
        case .commit(_, let end, _):
            isInTransaction = false
            delivered = end
            received = max(received, end)
        default: break
        }
    }

    /// The consumer needs nothing before this any more. True when a status should be sent.
    mutating func confirm(_ end: LogSequenceNumber) -> Bool {
        guard end > confirmed else { return false }
        confirmed = end
        passOver()
        return true
    }

    /// Nothing was read for a while, on purpose: the server's silence means nothing.
    mutating func notePause(at now: LoopInstant) { lostAt = now + Self.silenceLimit }

    mutating func noteStatus(at now: LoopInstant) { nextStatus = now + Self.statusInterval }

    private mutating func passOver() {
        if !isInTransaction, confirmed >= delivered { confirmed = max(confirmed, received) }
    }
}
