public import Logging
public import SwiftletAuth
import SwiftletBlockingPool
package import SwiftletPostgres

/// The context of a request: the caller, the tenant, and access to the database.
public struct Context: Sendable {
    /// What all contexts of a request share. One reference, so that passing a context is cheap however much it holds.
    private let state: RequestState
    /// What every statement runs in, if the handler has begun one.
    private let transaction: Transaction?
    /// What is done once that transaction has been committed.
    private let whenCommitted: CommitActions?

    init(_ state: RequestState, in transaction: Transaction? = nil, whenCommitted: CommitActions? = nil) {
        self.state = state
        self.transaction = transaction
        self.whenCommitted = whenCommitted
    }

    /// Echoed in `X-Request-ID`, in error bodies and in the log.
    public var requestID: String { state.id }

    /// The values of the route's `:parameters`.
    public var parameters: PathParameters { state.parameters }

    package var server: ServerState { state.server }
    var trace: Trace? { state.trace }
    /// nil on an ``Route/open()`` route.
    package var identity: User? { state.user }
    package var isInTransaction: Bool { transaction != nil }
    /// Whether the response goes into that of a batch, as a whole.
    package var isPartOfBatch: Bool { state.isPartOfBatch }

    /// Runs reads on a replica, if this request may read there; nil if they are for the primary, which is where they go
    /// too once the request has changed anything.
    package func readOnReplica(
        _ calls: [StatementCall],
        isIsolated: Bool = false,
        guest: Guest? = nil
    ) async throws(PostgresError) -> [RowsBox]? {
        guard transaction == nil, let placement = state.placement else { return nil }
        guard calls.allSatisfy(\.statement.isReadOnly) else {
            placement.noteWrite()
            return nil
        }
        return try await placement.read(calls, isIsolated: isIsolated, guest: guest)
    }

    /// Whether replicas have a part in this request, so that it is worth asking them.
    package var mayReadOnReplica: Bool { state.placement != nil && transaction == nil }

    /// Runs `action` at once, or when the transaction that this context belongs to has been committed.
    package func afterCommit(_ action: @escaping @Sendable () -> Void) {
        if let whenCommitted { whenCommitted.add(action) } else { action() }
    }

    /// The context of another request, whose statements run in this one's transaction.
    func joined(by state: RequestState) -> Context {
        Context(state, in: transaction, whenCommitted: whenCommitted)
    }

    /// Forgets what ``afterCommit(_:)`` was told, as it was undone within the transaction.
    func forgetCommitActions() { whenCommitted?.forget() }

    /// The verified user. Throws 401 on an ``Route/open()`` route, where no token is checked.
    public var user: User {
        get throws(APIError) {
            guard let identity else { throw APIError.unauthorized }
            return identity
        }
    }

    /// The tenant that this request works in: the user's own, or for platform users the one in `x-tenant-id`. Throws
    /// 400 `NO_TENANT` if there is none.
    public var tenant: TenantID {
        get throws(APIError) {
            guard let tenant = state.tenant else { throw .noTenant }
            return tenant
        }
    }

    /// The database, for statements that bind this request's tenant. Throws 400 `NO_TENANT` if there is none.
    public var database: TenantDatabase {
        get throws(APIError) {
            TenantDatabase(context: self, tenant: try tenant)
        }
    }

    /// A value that the app or the server has brought, such as a setting.
    public subscript<Key: ContextKey>(_ key: Key.Type) -> Key.Value { server.values[key] }

    /// In a job, whether there will be no other attempt if this one fails.
    public var isLastAttempt: Bool { state.isLastAttempt }

    /// The database for a job that was declared to work across tenants. Throws 500 everywhere else, where ``database``
    /// is the one to use.
    public var databaseAcrossTenants: UnscopedDatabase {
        get throws(APIError) {
            guard state.isAcrossTenants else {
                logger.error("only a job declared with acrossTenants() may use databaseAcrossTenants")
                throw APIError.internal
            }
            return UnscopedDatabase(context: self)
        }
    }

    /// A logger with the request's id as metadata. Never log bodies, tokens or SQL values.
    public var logger: Logger {
        var logger = server.logger
        logger[metadataKey: "request_id"] = "\(requestID)"
        return logger
    }

    /// Runs blocking work (password hashing, file access) on another thread; an event loop must never block.
    ///
    /// Two pieces of work run at once in the whole server, and up to 1,024 wait, 128 of one caller. Callers take turns.
    ///
    /// Rethrows the error of `work`, or throws one that becomes 503 `OVERLOADED` if too much work is
    /// waiting. Once the client is gone, it throws `CancellationError`: work that has begun then
    /// continues unheard, and other work never runs.
    public func offload<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await server.offload.run(for: state.user?.id, work)
    }
}

extension Context {
    /// Whether the caller's session or account has ended since the token was verified: streams ask again and again.
    package func hasEnded(_ user: User) -> Bool { server.verifier.hasEnded(user) }

    /// Runs several changes as one: all of them are stored, or none.
    ///
    ///     try await context.transaction { context in
    ///         let quote = try await quotes.create(values, in: context)
    ///         for line in lines {
    ///             try await quoteLines.create(line, in: context, parent: quote)
    ///         }
    ///     }
    ///
    /// Only what is done with the closure's own context takes part: resources, and statements on its ``database``. If
    /// the closure throws, or one of its statements has failed even though the error was caught, everything is undone.
    /// A nested transaction joins the outer one: what it throws undoes its own statements, and no others.
    ///
    /// It holds a connection, so wait for nothing but the database in it, and do not use the outer context: that needs
    /// a second connection, and throws when none becomes free.
    ///
    /// The closure runs a second time if any statement fails because the schema has changed, so keep mails and calls to
    /// other services out of it. Rethrows its error, or throws ``PostgresError``.
    public func transaction<Result>(_ body: (Context) async throws -> Result) async throws -> Result {
        try await transaction(of: nil, body)
    }

    /// One that lasts as long as its caller likes belongs to a guest, so that others keep connections for theirs.
    func transaction<Result>(of guest: Guest?, _ body: (Context) async throws -> Result) async throws -> Result {
        guard !isInTransaction else { return try await nested(body) }
        let database = server.database
        let schema = database.schema
        do {
            return try await begin(guest, body)
        } catch let error as PostgresError {
            let isNew = error.meansNewColumn(in: schema)
            guard try await database.hasChanged(since: schema, after: error, meansNewColumn: isNew) else { throw error }
            return try await begin(guest, body)
        }
    }

    /// Within another transaction: what `body` throws undoes its own statements, and those alone, whatever becomes of
    /// the others.
    private func nested<Result>(_ body: (Context) async throws -> Result) async throws -> Result {
        let actions = whenCommitted?.count ?? 0
        _ = try await queryAll(["SAVEPOINT swiftlet_nested"])
        do {
            let result = try await body(self)
            // Fails if a statement has, though its error was caught.
            _ = try await queryAll(["RELEASE SAVEPOINT swiftlet_nested"])
            return result
        } catch {
            whenCommitted?.forget(behind: actions)
            _ = try? await queryAll(["ROLLBACK TO SAVEPOINT swiftlet_nested", "RELEASE SAVEPOINT swiftlet_nested"])
            throw error
        }
    }

    private func begin<Result>(
        _ guest: Guest?,
        _ body: (Context) async throws -> Result
    ) async throws -> Result {
        state.placement?.noteWrite()
        let actions = CommitActions()
        let result = try await server.database.transaction(of: guest) { transaction in
            let inner = Context(state, in: transaction, whenCommitted: actions)
            let result = try await body(inner)
            try await state.beforeCommit?(transaction)
            return result
        }
        actions.run()
        return result
    }

    /// Runs a statement of the resource layer, which already contains the scope.
    package func query(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> Rows {
        let start = server.databaseClock()
        defer { addDatabaseTime(since: start) }
        let span = state.trace?.part()
        let rows: Rows
        do throws(PostgresError) {
            rows =
                if let transaction {
                    try await transaction.query(statement, parameters)
                } else if mayReadOnReplica,
                    let box = try await readOnReplica([StatementCall(statement, copy parameters)])?.first
                {
                    try box.take()
                } else {
                    try await server.database.query(statement, parameters)
                }
        } catch {
            span?.end(statement: statement.text, isFailed: true)
            throw error
        }
        span?.end(statement: statement.text, isFailed: false)
        state.addRows(rows.count)
        return rows
    }

    /// Runs two reads in one round trip.
    package func queryPair(
        _ first: Statement,
        _ firstParameters: consuming Parameters,
        _ second: Statement,
        _ secondParameters: consuming Parameters
    ) async throws(PostgresError) -> RowsPair {
        let start = server.databaseClock()
        defer { addDatabaseTime(since: start) }
        let spans = state.trace.map { ($0.part(), $0.part()) }
        var isFailed = true
        defer {
            spans?.0?.end(statement: first.text, isFailed: isFailed)
            spans?.1?.end(statement: second.text, isFailed: isFailed)
        }
        let pair =
            if let transaction {
                try await transaction.queryPair(first, firstParameters, second, secondParameters)
            } else if mayReadOnReplica,
                let boxes = try await readOnReplica([
                    StatementCall(first, copy firstParameters), StatementCall(second, copy secondParameters),
                ])
            {
                try RowsPair(boxes)
            } else {
                try await server.database.queryPair(first, firstParameters, second, secondParameters)
            }
        isFailed = false
        state.addRows(pair.first.count)
        return pair
    }

    /// Runs statements of the resource layer in one round trip, as one transaction or a part of this one.
    package func queryGroup(_ calls: [StatementCall]) async throws(StatementGroupError) -> [RowsBox] {
        try await measureDatabase(rows: { _ in 0 }, of: calls.map(\.statement.text)) {
            () async throws(StatementGroupError) in
            if let transaction { return try await transaction.queryGroup(calls) }
            if mayReadOnReplica, let boxes = try await boxesOfReplica(calls) { return boxes }
            return try await server.database.queryGroup(calls)
        }
    }

    private func boxesOfReplica(_ calls: [StatementCall]) async throws(StatementGroupError) -> [RowsBox]? {
        do throws(PostgresError) {
            return try await readOnReplica(calls)
        } catch {
            throw StatementGroupError(error: error, index: nil)
        }
    }

    /// Adds the time that `work` takes to the request's database time, and the `rows` of its result to the request's.
    /// `statements` are for its trace.
    package func measureDatabase<Value, Failure>(
        rows: (Value) -> Int,
        of statements: @autoclosure () -> [String],
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let start = server.databaseClock()
        defer { addDatabaseTime(since: start) }
        let value = try await traced(statements(), work)
        state.addRows(rows(value))
        return value
    }

    /// Goes with calls to other services (W3C Trace Context §3.2).
    package var traceParent: String? { state.traceParent }

    /// Notes a call to another service for the request's line in the log.
    package func addCall(since start: UInt64) { state.addCall(nanoseconds: server.clock.nanoseconds() &- start) }

    private func addDatabaseTime(since start: UInt64) {
        state.addDatabase(nanoseconds: server.databaseClock() &- start)
    }

    /// Runs several statements in one round trip of the transaction, each with a snapshot of its own.
    func queryAll(_ group: [SQL]) async throws(PostgresError) -> [[Row]] {
        guard let transaction else { preconditionFailure("only a transaction has groups of statements") }
        let start = server.databaseClock()
        defer { addDatabaseTime(since: start) }
        return try await traced(group.map(\.text)) { () async throws(PostgresError) in
            try await transaction.queryAll(group)
        }
    }

    /// Runs a statement of a function's own, or of another room.
    package func query(_ sql: SQL) async throws(PostgresError) -> [Row] {
        try await measureDatabase(rows: \.count, of: [sql.text]) { () async throws(PostgresError) in
            let rows =
                if let transaction {
                    try await transaction.queryTakingBackTraces(sql)
                } else if mayReadOnReplica, let box = try await readOnReplica(sql) {
                    try box.rows()
                } else {
                    try await server.database.queryTakingBackTraces(sql)
                }
            state.noteUndecodable(rows.undecodableColumns)
            return rows
        }
    }

    private func readOnReplica(_ sql: SQL) async throws(PostgresError) -> RowsBox? {
        let statement = try server.database.statement(for: sql)
        return try await readOnReplica([StatementCall(statement, sql.parameters)])?.first
    }

    /// Remembers that the database lacks a table that a function declares, whose rows are taken for none: the response
    /// names it, and the log does once. Throws 500 in development, where somebody is there to mend it.
    package func noteMissingTable(_ name: String) throws(APIError) {
        if server.firstMiss(of: name) {
            logger.warning("the database lacks a table: it counts as empty", metadata: ["resource.table": "\(name)"])
        }
        guard !server.isDevelopment else {
            throw APIError(
                .internalServerError,
                "MISSING_TABLE",
                "The database lacks the table \(name): see swiftlet migrate status"
            )
        }
        state.noteMissingTable(name)
    }
}
