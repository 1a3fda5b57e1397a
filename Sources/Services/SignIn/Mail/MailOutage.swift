import SwiftletOutbound

/// Whether the mail server is out of reach. Then one email at a time tries it, and the others fail at once: waiting for
/// it, they would take the place of other jobs.
struct MailOutage {
    /// Between two attempts.
    static let pauseNanoseconds: UInt64 = 15_000_000_000

    private var nextAttempt: UInt64?

    mutating func allowsAttempt(at now: UInt64) -> Bool {
        guard let next = nextAttempt else { return true }
        guard now >= next else { return false }
        nextAttempt = now &+ Self.pauseNanoseconds
        return true
    }

    /// A server that answers is in reach, whatever it says.
    mutating func note(_ error: any Error, at now: UInt64) {
        let isOutOfReach = [OutboundError.unknownHost, .noConnection, .noTLS, .timeout].contains {
            $0 == error as? OutboundError
        }
        nextAttempt = isOutOfReach ? now &+ Self.pauseNanoseconds : nil
    }

    mutating func hasEnded() { nextAttempt = nil }
}

extension OutboundError {
    static let mailOutage = OutboundError("the mail server was out of reach just now", isTemporary: true)
}
