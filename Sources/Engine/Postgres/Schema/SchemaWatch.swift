import SwiftletEventLoop
import Synchronization

/// The current schema, kept current by a reload after each reconnect and at each notification.
final class SchemaWatch: Sendable {
    /// The channel and the payloads that PostgREST uses, so that existing event triggers serve us too.
    private static let channel = "pgrst"
    private static let payloads: Set = ["", "reload schema", "reload config"]

    private struct Current {
        var schema = Schema.empty
        var readings = 0
        /// When the last reading began.
        var begun: ContinuousClock.Instant?
    }

    private let current = Mutex(Current())
    /// Those that a bare name is looked for in.
    private let schemas: [String]
    private let readSchemas: Mutex<Set<String>>
    private let observers = Mutex<[@Sendable () -> Void]>([])
    private let pools: [LoopBound<Pool>]
    private let reloader: LoopBound<SchemaReloader>
    private let listening: Listening?

    init(
        pools: [LoopBound<Pool>],
        listeningBy settings: ConnectionSettings?,
        fence: PrimaryFence?,
        configuration: DatabaseConfiguration,
        onEvent: @escaping @Sendable (DatabaseEvent) -> Void
    ) {
        self.pools = pools
        schemas = configuration.schemas
        readSchemas = Mutex(Set(configuration.schemas))
        let loop = pools[0].loop
        let reloader = LoopBound(SchemaReloader(loop: loop, onEvent: onEvent), on: loop)
        self.reloader = reloader
        guard let settings else {
            listening = nil
            return
        }
        let listener = NotificationListener(
            channel: Self.channel,
            settings: settings,
            fence: fence,
            timeout: configuration.connectTimeout,
            on: loop,
            onListening: { reloader.value.request(nil) },
            onNotification: { payload in
                if Self.payloads.contains(payload) { reloader.value.request(nil) }
            },
            onFailure: { error in
                // An outage is reported by the pool.
                if !pools[0].value.isOut { onEvent(.listeningFailed(reason: error.message)) }
            }
        )
        listening = Listening(LoopBound(listener, on: loop), leavingPrimariesBy: fence)
    }

    func start() {
        let control = pools[0]
        control.loop.execute { [self] in
            control.value.whenUp = { [reloader] in reloader.value.request(nil) }
            reloader.value.begin(control.value, reading: { [self] in readSchemas.withLock { $0.sorted() } }) { [self] in
                publish($0, begun: $1)
            }
            listening?.start()
        }
        for pool in pools {
            pool.loop.execute { [reloader] in
                pool.value.whenStale = { reloader.loop.execute { reloader.value.request(nil) } }
            }
        }
    }

    var schema: Schema { current.withLock { $0.schema } }
    var readings: Int { current.withLock { $0.readings } }

    /// Replaces the schema; the version grows only when the catalog differs.
    ///
    /// Only one reading is under way at a time, so that nobody else replaces it meanwhile. A large catalog is not compared
    /// under the lock, which every request takes, nor on a loop.
    private func publish(_ catalog: Catalog, begun: ContinuousClock.Instant) -> Schema {
        let old = schema
        let isNew = old.version == 0 || old.catalog != catalog
        let schema = isNew ? Schema(version: old.version + 1, catalog, searching: schemas) : old
        current.withLock {
            $0.schema = schema
            $0.readings += 1
            $0.begun = begun
        }
        if isNew {
            for pool in pools { pool.loop.execute { pool.value.forgetPrepared() } }
        }
        for observer in observers.withLock({ $0 }) { observer() }
        return schema
    }

    /// Reads these schemas as well, from now on.
    func read(_ schemas: [String]) {
        let isNew = readSchemas.withLock { known in
            let count = known.count
            known.formUnion(schemas)
            return known.count > count
        }
        if isNew, readings > 0 { reloader.loop.execute { [reloader] in reloader.value.request(nil) } }
    }

    /// Calls `observer` after each reading.
    func observe(_ observer: @escaping @Sendable () -> Void) { observers.withLock { $0.append(observer) } }

    /// Waits for a reload that starts after this call; one in progress does not count.
    func reload() async throws(PostgresError) {
        let reloader = reloader
        let waiter = SchemaWaiter()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.wait(continuation)
                reloader.loop.execute { reloader.value.request(waiter) }
            }
        } onCancel: {
            waiter.finish(.cancelled)
        }
        if let error = waiter.error { throw error }
    }

    /// Waits for a reading that began later than `instant`.
    func reload(after instant: ContinuousClock.Instant) async throws(PostgresError) {
        if let begun = current.withLock({ $0.begun }), begun > instant { return }
        try await reload()
    }

    /// Reads the catalog unless it was read moments ago. A reading that is under way or wanted is waited for: somebody has
    /// told of a change.
    func reloadAfterMiss(version: Int) async throws(PostgresError) -> Bool {
        if schema.version != version { return true }
        let reloader = reloader
        let isFresh = await reloader.loop.run { reloader.value.isFresh && !reloader.value.isAwaited }
        if !isFresh { try await reload() }
        return schema.version != version
    }

    func close() {
        listening?.close()
        reloader.loop.execute { [reloader] in reloader.value.close() }
    }
}
