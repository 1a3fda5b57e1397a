import SwiftletEventLoop

/// What the pool does about a server that comes, goes, or is silent on all connections.
extension PoolState {
    private static let silent = "the server neither answers nor closes its connections"

    mutating func failedToConnect(_ error: PostgresError, at now: LoopInstant) {
        let event = availability.failedToConnect(error.message, loop: loop, wanted: candidates.count, at: now)
        if let event { act(.report(event)) }
    }

    /// Replaces a connection on which a change was refused because the server only reads: the new
    /// one may find that it writes again, or another of the hosts. One at a time, as a database
    /// that is read-only for good still serves reads.
    mutating func retire(_ index: Int, _ status: ConnectionStatus, at now: LoopInstant) {
        guard now >= retiredAt + .seconds(1), availability.connectionsUp == candidates.count else { return }
        retiredAt = now
        holds[index].isRetired = true
        candidates[index].isHeld = true
        settle(index, status, at: now)
    }

    /// Looks whether the server answers, see ``OutageDetector``.
    mutating func checkForOutage(
        _ connections: [ConnectionSnapshot?],
        probeHeardAt: LoopInstant,
        at now: LoopInstant
    ) {
        let action = availability.look(
            waitingSince: connections.lazy.compactMap { $0 }.filter { !$0.ring.isEmpty }.map(\.headSince).min(),
            heardAt: connections.lazy.compactMap { $0?.heardAt }.reduce(probeHeardAt, max),
            at: now
        )
        switch action {
        case .none: break
        case .probe: probe(connections)
        case .beginOutage: beginSilentOutage(connections, at: now)
        case .endOutage: act(.welcomeServer)
        case .closeSilent(let since):
            for (index, connection) in connections.enumerated() where connection?.isSilent(since: since) == true {
                act(.abort(index, reason: Self.silent))
            }
        }
    }

    /// Nothing is lost with reads, and their connections are the first that can be replaced. Changes wait, since nobody
    /// knows what has become of them.
    private mutating func beginSilentOutage(_ connections: [ConnectionSnapshot?], at now: LoopInstant) {
        act(.report(.connectionFailed(loop: loop, reason: Self.silent)))
        expireWaiters(at: now)
        for (index, connection) in connections.enumerated() {
            guard let connection, !connection.isInTransactionBlock else { continue }
            guard !connection.onlyReads else {
                act(.close(index, reason: Self.silent))
                continue
            }
            for pending in connection.ring.lazy.compactMap(\.live) where pending.isReadOnly {
                act(.finish(pending, .connectionFailure))
            }
        }
    }

    /// Asks for a sign of life on the idle connections, or on a new one if there is none.
    private mutating func probe(_ connections: [ConnectionSnapshot?]) {
        var isAsked = false
        for (index, connection) in connections.enumerated() {
            guard let connection, connection.ring.isEmpty, !candidates[index].isHeld else { continue }
            candidates[index].isIdle = false
            // Nothing is sent behind it to a pooler.
            if !configuration.isPrepared { candidates[index].depth = 1 }
            act(.probe(index))
            isAsked = true
        }
        if !isAsked { act(.probeServer) }
    }
}
