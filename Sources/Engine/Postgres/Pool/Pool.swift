import SwiftletEventLoop

/// The connections of one loop and the queries that wait for them. Belongs to its loop's thread.
///
/// ``PoolState`` decides; this tells it what happens and performs what it decides.
final class Pool {
    let loop: EventLoop
    let configuration: DatabaseConfiguration
    /// nil if they are wrong.
    private let settings: ConnectionSettings?
    private let onEvent: @Sendable (DatabaseEvent) -> Void
    var state: PoolState
    private(set) var connections: [PooledConnection] = []
    let heldPlaces: HeldPlaces
    private let clock: PoolClock
    private let known = PreparedNames()
    private let serverProbe: ServerProbe
    /// Called when the first connection is up, and after every outage.
    var whenUp: (() -> Void)?
    /// Called when a statement's result has got other types.
    var whenStale: (() -> Void)?
    private var isPerforming = false

    init(
        loop: EventLoop,
        configuration: DatabaseConfiguration,
        settings: ConnectionSettings?,
        connections: Int,
        fence: PrimaryFence? = nil,
        onEvent: @escaping @Sendable (DatabaseEvent) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.onEvent = onEvent
        self.settings = settings
        state = PoolState(
            configuration: configuration,
            connections: connections,
            known: known,
            loop: loop.index
        )
        heldPlaces = HeldPlaces(state.policy.maximumHeld)
        clock = PoolClock(loop: loop)
        serverProbe = ServerProbe(isBehindPooler: configuration.isBehindPooler, on: loop)
        self.connections = state.candidates.indices.map { index in
            PooledConnection(
                index: index,
                loop: loop,
                configuration: configuration,
                known: known,
                settings: settings ?? ConnectionSettings([:]),
                fence: fence,
                report: { [self] in take($1, from: $0) }
            )
        }
    }

    func start() {
        state.started(at: loop.now)
        guard settings != nil else {
            state.close()
            return onEvent(.connectionFailed(loop: loop.index, reason: "DATABASE_URL is not a libpq connection string"))
        }
        for pooled in connections { pooled.connect() }
    }

    /// Ends the connections to servers that were the primary before. What they answer counts no more.
    func leavePrimaries(before newest: ServerHistory) {
        for pooled in connections where pooled.history?.precedes(newest) == true {
            pooled.connection?.die("another server was promoted")
        }
    }

    /// Fails all waiting queries and closes the connections.
    func close() {
        state.close()
        perform()
        for pooled in connections { pooled.close() }
        serverProbe.cancel()
        clock.stop()
    }

    // MARK: - Queries

    /// Runs one call, on the lease's connection if there is one, and returns when it is
    /// done; abandons it when the task is cancelled.
    func run(_ pending: PendingQuery, in lease: Lease? = nil) async {
        let call = LoopBound((self, pending), on: loop)
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                unsafe pending.caller = .task(continuation)
                if let lease { submit(pending, in: lease) } else { submit(pending) }
            }
        } onCancel: {
            call.loop.execute {
                let (pool, pending) = call.value
                pool.state.abandon(pending, .cancelled, pool.snapshots)
                pool.perform()
            }
        }
    }

    func submit(_ pending: PendingQuery) {
        state.submit(pending, at: loop.now)
        perform()
    }

    /// Sends one query of a transaction on its own connection.
    func submit(_ pending: PendingQuery, in lease: Lease) {
        state.submit(pending, in: lease)
        perform()
    }

    /// Waits for exclusive use of a connection; ``endLease(_:)`` gives it back.
    func lease(_ guest: Guest? = nil, within limit: Duration? = nil) async throws(PostgresError) -> Lease {
        let deadline = loop.now + (limit ?? configuration.waitTimeout)
        let lease = Lease(.transaction, isSlow: false, guest: guest, waitDeadline: deadline)
        let call = LoopBound(lease, on: loop)
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                unsafe lease.caller = continuation
                state.request(lease, at: loop.now)
                perform()
            }
        } onCancel: {
            call.loop.execute { call.value.refuse(.cancelled) }
        }
        if let error = lease.error { throw error }
        return lease
    }

    /// What still runs on the connection, such as ROLLBACK, ends before anyone else gets it.
    func endLease(_ lease: Lease) {
        guard let index = state.connection(of: lease), let connection = connections[index].connection else { return }
        state.endLease(on: index, connection.status, at: loop.now)
        perform()
    }

    // MARK: - Performing

    /// Does what was decided. What that leads to is decided and done before this returns.
    func perform() {
        guard !isPerforming else { return }
        isPerforming = true
        while let action = state.nextAction() { perform(action) }
        isPerforming = false
        startWatching()
    }

    private func perform(_ action: PoolState.Action) {
        switch action {
        case .send(let pending, let index, let alone): send(pending, to: connections[index], alone: alone)
        case .finish(let pending, let error): pending.finish(error)
        case .grant(let lease, let index): grant(lease, connections[index])
        case .refuse(let lease, let error): lease.refuse(error)
        case .release(let index): connections[index].connection?.isInTransactionBlock = false
        case .cancel(let index): connections[index].cancelRunning()
        case .endCancellingBehindLock(let index): connections[index].connection?.isCancellingBehindLock = false
        case .close(let index, let reason): connections[index].connection?.die(reason)
        case .abort(let index, let reason): connections[index].connection?.abort(reason)
        case .probe(let index): connections[index].connection?.sendProbe()
        case .probeServer: serverProbe.ask(settingsOfServer, timeout: configuration.silenceLimit)
        case .welcomeServer: welcomeServer()
        case .report(let event): onEvent(event)
        }
    }

    private func send(_ pending: PendingQuery, to pooled: PooledConnection, alone: Bool) {
        if let connection = pooled.connection { return connection.send(pending, alone: alone) }
        state.couldNotSend(pending, at: loop.now)
    }

    private func grant(_ lease: Lease, _ pooled: PooledConnection) {
        guard let connection = pooled.connection else { return lease.refuse(.connectionFailure) }
        connection.isInTransactionBlock = lease.query == nil
        lease.grant(connection)
    }

    private func welcomeServer() {
        onEvent(.connected(loop: loop.index))
        for pooled in connections { pooled.connectNow() }
        whenUp?()
    }

    /// Settings with the server of an open connection alone, so that the time does not pass with another one.
    private var settingsOfServer: ConnectionSettings {
        let settings = settings ?? ConnectionSettings([:])
        guard let server = connections.lazy.compactMap(\.connection).first?.server else { return settings }
        return settings.with([server])
    }

    // MARK: - Watching

    /// All connections as they are now, nil for those that are lost.
    private var snapshots: [ConnectionSnapshot?] { connections.map { $0.connection?.snapshot } }

    private var isBusy: Bool { state.isWaiting || connections.contains { $0.connection?.isEmpty == false } }

    @inline(__always)
    func startWatching() {
        if !clock.isRunning, isBusy { clock.start { [self] in look() } }
    }

    /// Whether there is anything left to look at.
    private func look() -> Bool {
        for connection in connections.lazy.compactMap(\.connection) where connection.isEncrypted && !connection.isEmpty
        {
            connection.receive()
        }
        state.look(snapshots, probeHeardAt: serverProbe.heardAt, at: loop.now)
        perform()
        return isBusy
    }

    // MARK: - Settings and statistics

    /// The deadline of a query submitted now.
    var deadline: LoopInstant { loop.now + configuration.queryTimeout }

    /// True when the server is not there, or the pool is closed.
    var isOut: Bool { state.isOut(at: loop.now) }

    func forgetPrepared() { known.forgetPrepared() }

    var statistics: DatabaseStatistics { state.statistics }
}
