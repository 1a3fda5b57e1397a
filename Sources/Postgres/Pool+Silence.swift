import EventLoop

/// What the pool does about a server that is silent on all connections, see ``Silence``.
extension Pool {
    private static let reason = "the server neither answers nor closes its connections"

    func listen(at now: LoopInstant) {
        let connections = slots.compactMap(\.connection)
        let action = silence.look(
            waitingSince: connections.lazy.filter { !$0.isEmpty }.map(\.headSince).min(),
            heardAt: connections.map(\.heardAt).reduce(signOfLife.heardAt, max),
            at: now
        )
        switch action {
        case .none: break
        case .probe:
            if !probeIdle() {
                signOfLife.ask(settings(attempt: 0, slot: 0), timeout: configuration.silenceLimit, on: loop)
            }
        case .beginOutage:
            onEvent(.connectionFailed(loop: loop.index, reason: Self.reason))
            expireWaiters()
            // Nothing is lost with reads, and their connections are the first that can be replaced.
            for connection in connections where connection.onlyReads { connection.die(Self.reason) }
        case .endOutage: serverIsBack()
        case .closeSilent(let since):
            for connection in connections where connection.isSilent(since: since) {
                connection.abort(Self.reason)
            }
        }
    }

    /// False if every connection is at work.
    private func probeIdle() -> Bool {
        var isAsked = false
        for slot in slots where !places[slot.index].isLeased {
            guard let connection = slot.connection, connection.isEmpty else { continue }
            connection.sendProbe()
            isAsked = true
        }
        return isAsked
    }
}
