import SwiftletEventLoop

/// What is decided every ten milliseconds while anything waits or is in flight.
extension PoolState {
    /// Deadlines are checked on every tenth turn.
    private static let turnsPerSweep = 10

    /// `probeHeardAt` is when the server last answered the ``Action/probeServer``.
    mutating func look(_ connections: [ConnectionSnapshot?], probeHeardAt: LoopInstant, at now: LoopInstant) {
        turn &+= 1
        while let next = postponed.first, next.due <= now {
            _ = postponed.removeFirst()
            retry(next.query, at: now)
        }
        for (index, connection) in connections.enumerated() {
            if let connection, now > connection.status.stuckAt { overtake(index, connections, at: now) }
        }
        guard turn % Self.turnsPerSweep == 0 || isOut(at: now) else { return }
        expireWaiters(at: now)
        for index in connections.indices { sweep(index, connections, at: now) }
        checkForOutage(connections, probeHeardAt: probeHeardAt, at: now)
        pump(at: now)
    }

    private mutating func sweep(_ index: Int, _ connections: [ConnectionSnapshot?], at now: LoopInstant) {
        guard let connection = connections[index], !connection.ring.isEmpty else { return }
        for pending in connection.ring.lazy.compactMap(\.live) where pending.deadline <= now {
            abandon(pending, .timeout, connections)
        }
        let limit = connection.headSince + configuration.queryTimeout + configuration.answerGrace
        if now > limit { act(.close(index, reason: "the server does not answer")) }
    }
}
