import EventLoop

/// What the pool does about a server that comes, goes, or is silent on all connections.
extension Pool {
    private static let silent = "the server neither answers nor closes its connections"

    func connectionFailed(_ error: PostgresError) {
        let event = availability.failedToConnect(error.message, loop: loop.index, wanted: slots.count, at: loop.now)
        if let event { onEvent(event) }
    }

    func serverIsBack() {
        onEvent(.connected(loop: loop.index))
        for slot in slots { slot.connectNow() }
        whenUp?()
    }

    /// Looks whether the server answers, see ``Silence``.
    func listen(at now: LoopInstant) {
        let connections = slots.compactMap(\.connection)
        let action = availability.look(
            waitingSince: connections.lazy.filter { !$0.isEmpty }.map(\.headSince).min(),
            heardAt: connections.map(\.heardAt).reduce(serverProbe.heardAt, max),
            at: now
        )
        switch action {
        case .none: break
        case .probe: probe()
        case .beginOutage:
            onEvent(.connectionFailed(loop: loop.index, reason: Self.silent))
            expireWaiters()
            // Nothing is lost with reads, and their connections are the first that can be replaced.
            for connection in connections where connection.onlyReads { connection.die(Self.silent) }
        case .endOutage: serverIsBack()
        case .closeSilent(let since):
            for connection in connections where connection.isSilent(since: since) { connection.abort(Self.silent) }
        }
    }

    /// Asks for a sign of life on the idle connections, or on a new one if there is none.
    private func probe() {
        let idle = slots.lazy.filter { !self.places[$0.index].isLeased }.compactMap(\.connection).filter(\.isEmpty)
        if idle.isEmpty {
            serverProbe.ask(settings(attempt: 0, slot: 0), timeout: configuration.silenceLimit, on: loop)
        }
        for connection in idle { connection.sendProbe() }
    }
}
