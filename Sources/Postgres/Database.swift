package import EventLoop
import Synchronization

/// The door to PostgreSQL: a pool of pipelined connections on each event loop.
///
/// A query runs on the pool of the loop it is asked on, or of some loop when asked from elsewhere. Every call ends: with
/// rows, or with an error after the configured deadline at the latest, or when the caller's task is cancelled.
package final class Database: Sendable {
    package let configuration: DatabaseConfiguration
    private let pools: [LoopBound<Pool>]
    private let statements = StatementCache()
    private let nextPool = Atomic<Int>(0)
    private let schemaWatch: SchemaWatch

    package init(
        configuration: DatabaseConfiguration,
        group: EventLoopGroup,
        onEvent: @escaping @Sendable (DatabaseEvent) -> Void
    ) {
        self.configuration = configuration
        if !configuration.isPrepared { PoolerEnvironment.prepare() }
        let settings = ConnectionSettings(parsing: configuration.url)?.forSession(
            isPrepared: configuration.isPrepared,
            statementTimeout: configuration.statementTimeout
        )
        let perLoop = configuration.connections.map { $0 / group.loops.count }
        let pools = group.loops.map { loop in
            let pool = Pool(
                loop: loop,
                configuration: configuration,
                settings: settings,
                connections: perLoop ?? DatabaseConfiguration.connectionsPerLoop,
                onEvent: onEvent
            )
            return LoopBound(pool, on: loop)
        }
        self.pools = pools
        schemaWatch = SchemaWatch(pools: pools, settings: settings, configuration: configuration, onEvent: onEvent)
    }

    /// Begins to connect and returns; queries asked meanwhile wait for `outageGrace`.
    package func start() async {
        schemaWatch.start()
        for pool in pools { pool.loop.execute { pool.value.start() } }
    }

    // MARK: - Queries

    /// Runs one statement.
    package func query(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> Rows {
        guard let pool = currentPool else {
            let parameters = parameters
            return try await elsewhere { () async throws(PostgresError) in
                RowsBox(try await self.query(statement, parameters))
            }.rows()
        }
        let pending = PendingQuery(statement, parameters, deadline: pool.deadline)
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
        return RowsPair(first: try boxes[0].rows(), second: try boxes[1].rows())
    }

    /// Runs a statement written in place. A text that is not plainly a read counts as a write and is never repeated.
    @discardableResult
    package func query(_ sql: SQL) async throws(PostgresError) -> [Row] {
        let text = sql.text
        guard !SQLClassifier.controlsTransactions(text) else { throw .noTransactionControl }
        return CopiedResult.rows(of: try await query(statements.statement(for: text), sql.parameters))
    }

    /// Runs the body inside BEGIN and COMMIT on a connection of its own; an error or a cancellation rolls back.
    ///
    /// Nothing is sent before the body's first query. When the connection breaks while COMMIT is under way, the error is
    /// `connectionLostAfterSending`: whether it happened is not known.
    package func transaction<Value>(_ body: (Transaction) async throws -> Value) async throws -> Value {
        let transaction = try await begin()
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

    /// What the catalog said last.
    package var schema: Schema { schemaWatch.schema }

    /// Reads the catalog again; calls at the same time share one reading that begins after all of them.
    package func reloadSchema() async throws(PostgresError) {
        try await schemaWatch.reload()
    }

    /// For a query made from a schema of that version that missed a table or column: reads the catalog again unless that
    /// was done moments ago, and tells whether there is another schema now, so that trying again makes sense.
    package func reloadSchemaAfterMiss(version: Int) async throws(PostgresError) -> Bool {
        try await schemaWatch.reloadAfterMiss(version: version)
    }

    // MARK: - Operation

    /// True when the server answers a round trip within two seconds.
    package func ping() async -> Bool {
        guard let pool = currentPool else {
            return (try? await elsewhere { () async throws(PostgresError) in await self.ping() }) ?? false
        }
        let pending = PendingQuery(Self.ping, .none, deadline: pool.loop.now + .seconds(2))
        await pool.run(pending)
        return pending.error == nil
    }

    private static let ping = Statement("SELECT 1", isReadOnly: true)

    /// One entry per loop.
    package func statistics() async -> [DatabaseStatistics] {
        var all: [DatabaseStatistics] = []
        for pool in pools { all.append(await pool.loop.run { pool.value.statistics }) }
        return all
    }

    /// Fails what waits, and closes every connection.
    package func shutdown() async {
        schemaWatch.close()
        for pool in pools { await pool.loop.run { pool.value.close() } }
    }

    // MARK: - Finding a loop

    private var currentPool: Pool? {
        guard let loop = EventLoop.current, loop.index < pools.count else { return nil }
        let pool = pools[loop.index]
        return pool.loop === loop ? pool.value : nil
    }

    /// Runs work on one of our loops, in turns, for callers that are on none.
    private func elsewhere<Value: Sendable>(
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
            return try await elsewhere { () async throws(PostgresError) in try await self.queryBoxes(first, second) }
        }
        let pending = PendingQuery(first.statement, first.parameters, others: [second], deadline: pool.deadline)
        await pool.run(pending)
        return try pending.takeGroup()
    }

    private func begin() async throws(PostgresError) -> Transaction {
        guard let pool = currentPool else {
            return try await elsewhere { () async throws(PostgresError) in try await self.begin() }
        }
        let scope = TransactionScope(pool: pool, lease: try await pool.lease())
        return Transaction(LoopBound(scope, on: pool.loop), statements)
    }
}

extension PostgresError {
    static let noTransactionControl = PostgresError(
        kind: .invalidParameters,
        state: .featureNotSupported,
        message: "use database.transaction: a statement cannot begin or end a transaction"
    )
}
