package import SwiftletEventLoop
import Synchronization

/// Access to PostgreSQL: a pool of pipelined connections on each event loop.
///
/// A query runs on the pool of the loop that it is called on; calls from elsewhere take the loops in turn. Every call
/// ends: with rows, with an error at the configured deadline at the latest, or when the caller's task is cancelled.
package final class Database: Sendable {
    package let configuration: DatabaseConfiguration
    private let pools: [LoopBound<Pool>]
    private let statements = InlineStatements()
    private let nextPool = Atomic<Int>(0)
    private let schemaWatch: SchemaWatch
    private let settings: ConnectionSettings?
    /// nil where a pooler only is known, which lends a session for one transaction: no notification would ever arrive.
    private let listeningSettings: ConnectionSettings?
    /// nil where they name one server.
    private let listeningFence: PrimaryFence?
    /// Whether there are several hosts, and no pooler between, which may lead anywhere.
    let mayMove: Bool
    let fence: PrimaryFence
    private let observation: PrimaryFence.Observation

    package init(
        configuration: DatabaseConfiguration,
        group: EventLoopGroup,
        onEvent: @escaping @Sendable (DatabaseEvent) -> Void
    ) {
        self.configuration = configuration
        SessionEnvironment.prepare()
        let settings = ConnectionSettings(parsing: configuration.url)?.forSession(configuration)
        let perLoop = configuration.connections.map { $0 / group.loops.count }
        let mayMove = !configuration.isReplica && !configuration.isBehindPooler && (settings?.servers.count ?? 0) > 1
        let fence = PrimaryFence()
        let pools = group.loops.map { loop in
            let pool = Pool(
                loop: loop,
                configuration: configuration,
                settings: settings,
                connections: perLoop ?? DatabaseConfiguration.connectionsPerLoop,
                fence: mayMove ? fence : nil,
                onEvent: onEvent
            )
            return LoopBound(pool, on: loop)
        }
        self.pools = pools
        self.settings = settings
        let listeningSettings =
            configuration.isBehindPooler
            ? configuration.directURL.flatMap { ConnectionSettings(parsing: $0) }?.onPrimary().forSession(configuration)
            : settings?.onPrimary()
        self.listeningSettings = listeningSettings
        let listeningFence = !configuration.isReplica && (listeningSettings?.servers.count ?? 0) > 1 ? fence : nil
        self.listeningFence = listeningFence
        self.mayMove = mayMove
        self.fence = fence
        observation = fence.observe { newest in
            for pool in pools { pool.loop.execute { pool.value.leavePrimaries(before: newest) } }
        }
        schemaWatch = SchemaWatch(
            pools: pools,
            listeningBy: listeningSettings,
            fence: listeningFence,
            configuration: configuration,
            onEvent: onEvent
        )
    }

    /// Starts to connect and returns; meanwhile queries wait for as long as `outageGrace`.
    package func start() {
        if configuration.isReplica { watchReplica() } else { schemaWatch.start() }
        for pool in pools { pool.loop.execute { pool.value.start() } }
    }

    /// A server was found to be a primary. It counts as one of this database's if it is one of its hosts.
    func saw(_ history: ServerHistory, at configuration: DatabaseConfiguration) {
        guard mayMove, let server = ConnectionSettings(parsing: configuration.url)?.servers.first,
            settings?.servers.contains(where: { $0.stands(for: server) }) == true
        else { return }
        fence.admits(history)
    }

    /// A standby cannot tell of changes: what they make stale is found when it fails.
    private func watchReplica() {
        for pool in pools { pool.loop.execute { pool.value.whenStale = { pool.value.forgetPrepared() } } }
    }

    // MARK: - Queries

    /// Runs one statement.
    package func query(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> Rows {
        try await query(statement, parameters, mayLeaveTraces: false)
    }

    private func query(
        _ statement: Statement,
        _ parameters: consuming Parameters,
        mayLeaveTraces: Bool
    ) async throws(PostgresError) -> Rows {
        guard let pool = currentPool else {
            let parameters = parameters
            return try await onNextLoop { () async throws(PostgresError) in
                RowsBox(try await self.query(statement, parameters, mayLeaveTraces: mayLeaveTraces))
            }.take()
        }
        let pending = PendingQuery(
            statement,
            parameters,
            mayLeaveTraces: mayLeaveTraces,
            deadline: pool.deadline
        )
        await pool.run(pending)
        return try pending.takeRows()
    }

    /// Runs two read-only statements on one connection in one round trip.
    package func queryPair(
        _ first: Statement,
        _ firstParameters: consuming Parameters,
        _ second: Statement,
        _ secondParameters: consuming Parameters
    ) async throws(PostgresError) -> RowsPair {
        let second = PendingQuery.Part(statement: second, parameters: secondParameters)
        let boxes = try await queryBoxes(PendingQuery.Part(statement: first, parameters: firstParameters), second)
        return try RowsPair(boxes)
    }

    /// Runs an inline statement. Text that is not clearly read-only counts as a write and is never retried.
    @discardableResult
    package func query(_ sql: SQL) async throws(PostgresError) -> [Row] {
        CopiedResult.rows(of: try await query(statements.statement(for: sql), sql.parameters))
    }

    /// The statement of an inline text, which is made once.
    package func statement(for sql: SQL) throws(PostgresError) -> Statement { try statements.statement(for: sql) }

    /// Runs an inline statement that is not the server's own: what the functions that it calls set for the rest of the
    /// session is taken back before anyone else uses the connection. A statement that calls none costs nothing more.
    package func queryTakingBackTraces(_ sql: SQL) async throws(PostgresError) -> [Row] {
        let statement = try statements.statement(for: sql)
        return CopiedResult.rows(
            of: try await query(statement, sql.parameters, mayLeaveTraces: statement.mayLeaveTraces)
        )
    }

    /// Runs the body between BEGIN and COMMIT on a dedicated connection; an error or a cancellation rolls back.
    ///
    /// Nothing is sent before the body's first query. When the connection breaks during COMMIT, the error is
    /// `connectionLostAfterSending`: whether the transaction was committed is unknown.
    /// A guest's transactions leave connections to those of others.
    package func transaction<Value>(
        of guest: Guest? = nil,
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let transaction = try await begin(guest)
        do {
            let value = try await body(transaction)
            try await transaction.commit()
            return value
        } catch {
            transaction.rollBack()
            throw error
        }
    }

    // MARK: - Schema

    /// The schema as last read from the catalog.
    package var schema: Schema { schemaWatch.schema }

    /// How often the catalog has been read, for others who keep parts of it.
    package var schemaReadings: Int { schemaWatch.readings }

    /// Has the catalog tell of these schemas as well.
    package func readSchemas(_ schemas: [String]) { schemaWatch.read(schemas) }

    /// Calls `observer` after each reading of the catalog. It must not block.
    package func whenSchemaIsRead(_ observer: @escaping @Sendable () -> Void) { schemaWatch.observe(observer) }

    /// Reads the catalog again; concurrent calls share one reload that starts after all of them.
    package func reloadSchema() async throws(PostgresError) {
        try await schemaWatch.reload()
    }

    /// Waits for a reading of the catalog that began later than `instant`: after a request found something missing, one
    /// that began later than the request.
    package func reloadSchema(after instant: ContinuousClock.Instant) async throws(PostgresError) {
        try await schemaWatch.reload(after: instant)
    }

    /// Prepares every statement anew before its next use. What was prepared before a column got another type keeps the
    /// type of the parameter that was found then, also where the column has got its own type back since.
    package func forgetPrepared() async {
        for pool in pools { await pool.loop.run { pool.value.forgetPrepared() } }
    }

    /// The same, without waiting for it.
    package func forgetPreparedSoon() {
        for pool in pools { pool.loop.execute { pool.value.forgetPrepared() } }
    }

    /// To be called when a query built from the schema of this version named a table or column that
    /// does not exist. Reads the catalog again, unless that was done moments ago; true when the schema
    /// has changed, so that a retry makes sense.
    package func reloadSchemaAfterMiss(version: Int) async throws(PostgresError) -> Bool {
        try await schemaWatch.reloadAfterMiss(version: version)
    }

    /// Calls `onNotification` with the payload of each notification on the channel, and with nil each time that the
    /// connection for it was made, as what was sent meanwhile is lost. It is called on a loop's thread and must not
    /// block.
    ///
    /// nil behind a transaction pooler that no way past is known of. Close it before this.
    package func listen(
        to channel: StaticString,
        onNotification: @escaping @Sendable (_ payload: String?) -> Void
    ) -> Listening? {
        guard let settings = listeningSettings else { return nil }
        let loop = pools[0].loop
        let listener = NotificationListener(
            channel: channel.description,
            settings: settings,
            fence: listeningFence,
            timeout: configuration.connectTimeout,
            on: loop,
            onListening: { onNotification(nil) },
            onNotification: { onNotification($0) },
            onFailure: { _ in }
        )
        let listening = Listening(LoopBound(listener, on: loop), leavingPrimariesBy: listeningFence)
        listening.start()
        return listening
    }

    // MARK: - Operation

    /// True when the server answers within two seconds.
    package func ping() async -> Bool {
        guard let pool = currentPool else {
            return (try? await onNextLoop { () async throws(PostgresError) in await self.ping() }) ?? false
        }
        let pending = PendingQuery(Self.ping, .none, deadline: pool.loop.now + .seconds(2))
        await pool.run(pending)
        return pending.error == nil
    }

    /// True when a connection of one's own, as transactions, first runs and slow statements need it, is given within
    /// two seconds.
    package func hasRoom() async -> Bool {
        guard let pool = currentPool else {
            return (try? await onNextLoop { () async throws(PostgresError) in await self.hasRoom() }) ?? false
        }
        guard let lease = try? await pool.lease(within: .seconds(2)) else { return false }
        pool.endLease(lease)
        return true
    }

    private static let ping = Statement("SELECT 1", isReadOnly: true)

    /// One entry per loop.
    package func statistics() async -> [DatabaseStatistics] {
        var all: [DatabaseStatistics] = []
        for pool in pools { all.append(await pool.loop.run { pool.value.statistics }) }
        return all
    }

    /// Fails the queries that wait, and closes every connection.
    package func shutdown() async {
        schemaWatch.close()
        for pool in pools { pool.loop.execute { pool.value.close() } }
        // One loop that is busy delays no other.
        for pool in pools { await pool.loop.run {} }
    }

    // MARK: - Finding a loop

    var currentPool: Pool? {
        guard let loop = EventLoop.current, loop.index < pools.count else { return nil }
        let pool = pools[loop.index]
        return pool.loop === loop ? pool.value : nil
    }

    /// Runs work on the loops in turn, for callers that are on none of them.
    func onNextLoop<Value: Sendable>(
        _ work: @Sendable () async throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        let turn = nextPool.wrappingAdd(1, ordering: .relaxed).oldValue
        return try await pools[Int(UInt(bitPattern: turn) % UInt(pools.count))].loop.onLoop(work)
    }

    private func queryBoxes(
        _ first: PendingQuery.Part,
        _ second: PendingQuery.Part
    ) async throws(PostgresError) -> [RowsBox] {
        guard let pool = currentPool else {
            return try await onNextLoop { () async throws(PostgresError) in try await self.queryBoxes(first, second) }
        }
        let pending = PendingQuery(first.statement, first.parameters, others: [second], deadline: pool.deadline)
        await pool.run(pending)
        return try pending.takeGroup()
    }

    func group(
        _ parts: [PendingQuery.Part],
        isIsolated: Bool = false,
        guest: Guest? = nil
    ) async -> Result<[RowsBox], StatementGroupError> {
        guard let first = parts.first else { return .success([]) }
        do throws(PostgresError) {
            guard let pool = currentPool else {
                return try await onNextLoop { () async throws(PostgresError) in
                    await self.group(parts, isIsolated: isIsolated, guest: guest)
                }
            }
            let others = Array(parts.dropFirst())
            let pending = PendingQuery(
                first.statement,
                first.parameters,
                others: others,
                isIsolated: isIsolated,
                guest: guest,
                deadline: pool.deadline
            )
            await pool.run(pending)
            return pending.takeGroupResult()
        } catch {
            return .failure(StatementGroupError(error: error, index: nil))
        }
    }

    func runGroup(
        _ parts: [PendingQuery.Part],
        _ guest: Guest?,
        mayLeaveTraces: Bool
    ) async throws(PostgresError) -> [RowsBox] {
        guard let first = parts.first else { return [] }
        guard let pool = currentPool else {
            return try await onNextLoop { () async throws(PostgresError) in
                try await self.runGroup(parts, guest, mayLeaveTraces: mayLeaveTraces)
            }
        }
        let pending = PendingQuery(
            first.statement,
            first.parameters,
            others: Array(parts.dropFirst()),
            isIsolated: true,
            guest: guest,
            mayLeaveTraces: mayLeaveTraces,
            deadline: pool.deadline
        )
        await pool.run(pending)
        return try pending.takeGroup()
    }

    func begin(_ guest: Guest? = nil) async throws(PostgresError) -> Transaction {
        guard let pool = currentPool else {
            return try await onNextLoop { () async throws(PostgresError) in try await self.begin(guest) }
        }
        let scope = TransactionScope(pool: pool, lease: try await pool.lease(guest))
        return Transaction(LoopBound(scope, on: pool.loop), statements)
    }
}
