import SwiftletEventLoop

/// Reads the catalog, one reload at a time and not more often than `DatabaseConfiguration.catalogInterval` says. Belongs
/// to the control loop.
final class SchemaReloader {
    /// After a reload that failed: whoever asked for it may have told of a change that nobody will tell of again.
    private static let retryInterval = Duration.seconds(5)
    /// After a miss, a schema younger than this is not read again: clients that ask for what does not exist must not
    /// keep the catalog busy.
    private static let freshness = Duration.milliseconds(500)

    private let loop: EventLoop
    private let onEvent: @Sendable (DatabaseEvent) -> Void
    private var pool: Pool?
    private var schemas: (() -> [String])?
    private var publish: (@Sendable (Catalog, _ begun: ContinuousClock.Instant) -> Schema)?
    private var isReading = false
    private var isWanted = false
    private var lastStart: LoopInstant?
    private var lastSuccess: LoopInstant?
    private var timer: LoopTimer?
    private var retryTimer: LoopTimer?
    /// Served by the reload in progress, and by the next one.
    private var waiters: [SchemaWaiter] = []
    private var nextWaiters: [SchemaWaiter] = []

    init(loop: EventLoop, onEvent: @escaping @Sendable (DatabaseEvent) -> Void) {
        self.loop = loop
        self.onEvent = onEvent
    }

    /// `publish` is called on any thread.
    func begin(
        _ pool: Pool,
        reading schemas: @escaping () -> [String],
        publish: @escaping @Sendable (Catalog, _ begun: ContinuousClock.Instant) -> Schema
    ) {
        self.pool = pool
        self.schemas = schemas
        self.publish = publish
    }

    var isFresh: Bool { lastSuccess.map { loop.now < $0 + Self.freshness } ?? false }

    /// A reading is under way or wanted.
    var isAwaited: Bool { isReading || isWanted }

    func request(_ waiter: SchemaWaiter?) {
        if let waiter { nextWaiters.append(waiter) }
        guard pool != nil else { return close() }
        isWanted = true
        startWhenDue()
    }

    func close() {
        pool = nil
        schemas = nil
        publish = nil
        timer?.cancel()
        timer = nil
        retryTimer?.cancel()
        for waiter in waiters + nextWaiters { waiter.finish(.connectionFailure) }
        waiters = []
        nextWaiters = []
    }

    private func startWhenDue() {
        guard isWanted, !isReading, timer == nil, let pool else { return }
        let due = lastStart.map { $0 + pool.configuration.catalogInterval } ?? loop.now
        guard due > loop.now else { return read() }
        timer = loop.schedule(at: due) { [weak self] in
            self?.timer = nil
            self?.startWhenDue()
        }
    }

    private func read() {
        guard let pool else { return }
        retryTimer?.cancel()
        isReading = true
        isWanted = false
        lastStart = loop.now
        waiters = nextWaiters
        nextWaiters = []
        let begun = ContinuousClock.now
        let pending = CatalogQueries.query(schemas?() ?? [], deadline: loop.now + pool.configuration.queryTimeout)
        pending.caller = .action { [weak self] in self?.answered($0, begun: begun) }
        pool.submit(pending)
    }

    private func answered(_ pending: PendingQuery, begun: ContinuousClock.Instant) {
        do throws(PostgresError) {
            let results = try pending.takeGroup()
            guard let publish else { throw .connectionFailure }
            // A large catalog takes long to put together, which a loop must not.
            let own = LoopBound(self, on: loop)
            Task {
                let result: Result<Schema?, PostgresError>
                do throws(PostgresError) {
                    var rows: [[CatalogRow]] = []
                    for box in results { rows.append(try box.rows().map { CatalogRow($0) }) }
                    result = .success(CatalogReader.read(rows).map { publish($0, begun) })
                } catch {
                    result = .failure(error)
                }
                own.loop.execute { own.value.ended(result) }
            }
        } catch {
            ended(.failure(error))
        }
    }

    private func ended(_ result: Result<Schema?, PostgresError>) {
        isReading = false
        let waiters = waiters
        self.waiters = []
        switch result {
        case .success(let schema):
            lastSuccess = loop.now
            if let schema { onEvent(.schemaLoaded(version: schema.version, tables: schema.tables.count)) }
            for waiter in waiters { waiter.finish(nil) }
        case .failure(let error):
            for waiter in waiters { waiter.finish(error) }
            failed(error)
        }
        startWhenDue()
    }

    /// A database that is away is reported by the pool, and read anew as soon as it is back.
    private func failed(_ error: PostgresError) {
        guard let pool, !pool.isOut else { return }
        onEvent(.schemaFailed(error))
        retryTimer = loop.schedule(after: Self.retryInterval) { [weak self] in self?.request(nil) }
    }
}
