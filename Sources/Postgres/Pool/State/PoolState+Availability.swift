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

    /// Replaces a connection on which a change was refused because the server only reads: the new
    /// one may find that it writes again, or another of the hosts. One at a time, as a database
    /// that is read-only for good still serves reads.
    func retire(_ slot: Slot) {
        guard let connection = slot.connection, connection.isAlive, loop.now >= retiredAt + .seconds(1),
            availability.connectionsUp == slots.count
        else { return }
        retiredAt = loop.now
        connection.isRetired = true
        places[slot.index].isHeld = true
        settle(slot)
    }

    /// Looks whether the server answers, see ``Silence``.
    func checkForSilence(at now: LoopInstant) {
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
            // Nothing is lost with reads, and their connections are the first that can be replaced. Changes wait, since
            // nobody knows what has become of them.
            for connection in connections {
                if connection.onlyReads { connection.die(Self.silent) } else { connection.refuseReads() }
            }
        case .endOutage: serverIsBack()
        case .closeSilent(let since):
            for connection in connections where connection.isSilent(since: since) { connection.abort(Self.silent) }
        }
    }

    /// Asks for a sign of life on the idle connections, or on a new one if there is none.
    private func probe() {
        var isAsked = false
        for slot in slots where !places[slot.index].isHeld {
            guard let connection = slot.connection, connection.isEmpty else { continue }
            connection.sendProbe()
            isAsked = true
            if connection.isAlive { places[slot.index].depth = connection.depth }
        }
        if !isAsked { serverProbe.ask(settingsOfServer, timeout: configuration.silenceLimit) }
    }

    /// Settings with the server of an open connection alone, so that the time does not pass with another one.
    private var settingsOfServer: ConnectionSettings {
        let settings = settings ?? ConnectionSettings([:])
        guard let server = slots.lazy.compactMap(\.connection).first?.server else { return settings }
        return settings.with([server])
    }
}
