import SwiftletEventLoop

/// Reads the catalog, one reload at a time and at most five times a second. Belongs to the control loop.
final class SchemaReloader {
    private static let interval = Duration.milliseconds(200)
    /// After a reload that failed: whoever asked for it may have told of a change that nobody will tell of again.
    private static let retryInterval = Duration.seconds(5)
    /// After a miss, a schema younger than this is not read again: clients that ask for what does not exist must not
    /// keep the catalog busy.
    private static let freshness = Duration.milliseconds(500)

    private let loop: EventLoop
    private let onEvent: @Sendable (DatabaseEvent) -> Void
    private var pool: Pool?
    private var publish: (([String: Table]) -> Schema)?
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

    func begin(_ pool: Pool, publish: @escaping ([String: Table]) -> Schema) {
        self.pool = pool
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
        publish = nil
        timer?.cancel()
        timer = nil
        retryTimer?.cancel()
        for waiter in waiters + nextWaiters { waiter.finish(.connectionFailure) }
        waiters = []
        nextWaiters = []
    }

    private func startWhenDue() {
        guard isWanted, !isReading, timer == nil else { return }
        let due = lastStart.map { $0 + Self.interval } ?? loop.now
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
        let configuration = pool.configuration
        let pending = SchemaCatalog.query(
            schemas: configuration.schemas,
            deadline: loop.now + configuration.queryTimeout
        )
        pending.caller = .action { [weak self] in self?.answered($0) }
        pool.submit(pending)
    }

    private func answered(_ pending: PendingQuery) {
        isReading = false
        let waiters = waiters
        self.waiters = []
        do throws(PostgresError) {
            var results: [[Row]] = []
            for box in try pending.takeGroup() { results.append(CopiedResult.rows(of: try box.take())) }
            let schema = publish?(SchemaCatalog.tables(results))
            lastSuccess = loop.now
            if let schema { onEvent(.schemaLoaded(version: schema.version, tables: schema.tables.count)) }
            for waiter in waiters { waiter.finish(nil) }
        } catch {
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
