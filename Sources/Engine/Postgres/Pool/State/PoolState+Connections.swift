import SwiftletEventLoop

/// What the pool does when something happens on a connection.
extension PoolState {
    mutating func connectionIsUp(_ index: Int, _ status: ConnectionStatus, at now: LoopInstant) {
        candidates[index] = PlacementPolicy.Candidate(isUp: true, depth: status.depth, isIdle: status.isIdle)
        holds[index] = Hold()
        sent[index] = SentStatements()
        if availability.connected(wanted: candidates.count) { act(.welcomeServer) }
        pump(at: now)
    }

    /// Answers have arrived: there may be room.
    mutating func progressed(_ index: Int, _ status: ConnectionStatus, at now: LoopInstant) {
        candidates[index].depth = status.depth
        candidates[index].isIdle = status.isIdle
        sent[index].forget(besides: status.isIdle ? 0 : status.depth)
        if candidates[index].isStuck { candidates[index].isStuck = now > status.stuckAt }
        if status.isCancellingBehindLock { cancelBehindLockTimeout(index, status) }
        if candidates[index].isHeld { settle(index, status, at: now) }
        pump(at: now)
    }

    /// Sending has failed. It gets nothing more until it dies.
    mutating func isFailing(_ index: Int) { candidates[index].isHeld = true }

    /// The server has taken a request to cancel what runs. The signal may still be on its way to the server's process: one
    /// round trip later it has arrived.
    mutating func cancelReturned(_ index: Int, _ status: ConnectionStatus) {
        holds[index].isAsking = false
        cancelBehindLockTimeout(index, status)
    }

    /// A request to cancel can no longer hit what runs next.
    mutating func cancelHasArrived(_ index: Int) { holds[index].cancels -= 1 }

    /// The connection has died, and these calls with it.
    mutating func connectionDied(_ index: Int, _ loss: ConnectionLoss, at now: LoopInstant) {
        candidates[index] = PlacementPolicy.Candidate()
        holds[index] = Hold()
        sent[index] = SentStatements()
        availability.disconnected(at: now)
        counts.totalConnectionsLost &+= 1
        if !isClosed { act(.report(.connectionLost(loop: loop, reason: loss.reason))) }
        for pending in loss.queries {
            if pending.survivesLoss(byAdministrator: loss.isByAdministrator), !loss.wasInTransactionBlock {
                pending.markWaiting()
                retrySoon(pending, at: now)
            } else {
                act(.finish(pending, .connectionLostAfterSending))
            }
        }
        pump(at: now)
    }
}
