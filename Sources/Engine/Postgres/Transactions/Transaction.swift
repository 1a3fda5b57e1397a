import SwiftletEventLoop

/// A transaction on a dedicated connection, for as long as the closure of ``Database/transaction(_:)`` runs. Every later
/// call fails.
///
/// A command may have begun one on a connection that blocks: then every call blocks.
package final class Transaction: Sendable {
    private enum Session: Sendable {
        case leased(LoopBound<TransactionScope>)
        case blocking(BlockingSession)
    }

    private let session: Session
    private let statements: InlineStatements

    init(_ scope: LoopBound<TransactionScope>, _ statements: InlineStatements) {
        session = .leased(scope)
        self.statements = statements
    }

    /// The transaction that has begun on this connection. It ends with ``rollBack()``.
    package init(begunOn connection: consuming sending BlockingConnection) {
        session = .blocking(BlockingSession(connection))
        statements = InlineStatements()
    }

    package func query(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> Rows {
        let boxes = try await query([PendingQuery.Part(statement: statement, parameters: parameters)])
        return try boxes[0].take()
    }

    /// Runs two statements in one round trip.
    package func queryPair(
        _ first: Statement,
        _ firstParameters: consuming Parameters,
        _ second: Statement,
        _ secondParameters: consuming Parameters
    ) async throws(PostgresError) -> RowsPair {
        let boxes = try await query([
            PendingQuery.Part(statement: first, parameters: firstParameters),
            PendingQuery.Part(statement: second, parameters: secondParameters),
        ])
        return try RowsPair(boxes)
    }

    @discardableResult
    package func query(_ sql: SQL) async throws(PostgresError) -> [Row] {
        CopiedResult.rows(of: try await query(statements.statement(for: sql), sql.parameters))
    }

    /// As ``Database/queryTakingBackTraces(_:)``, at the end of the transaction.
    package func queryTakingBackTraces(_ sql: SQL) async throws(PostgresError) -> [Row] {
        let statement = try statements.statement(for: sql)
        if statement.mayLeaveTraces { await noteTraces() }
        return CopiedResult.rows(of: try await query(statement, sql.parameters))
    }

    /// Runs statements in one round trip, as ``Database/runIsolated(_:isUndone:guest:mayLeaveTraces:)`` does in a
    /// transaction of its own.
    package func run(_ calls: [StatementCall], mayLeaveTraces: Bool) async throws(PostgresError) -> [RowsBox] {
        if mayLeaveTraces { await noteTraces() }
        return try await query(calls.map { PendingQuery.Part(statement: $0.statement, parameters: $0.parameters) })
    }

    private func noteTraces() async {
        guard case .leased(let scope) = session else { return }
        await scope.loop.run { scope.value.noteTraces() }
    }

    /// Runs a statement and copies its rows.
    package func rows(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> [Row] {
        CopiedResult.rows(of: try await query(statement, parameters))
    }

    /// Runs several statements in one round trip; each sees what those before it did and what others have committed
    /// meanwhile. An error in one keeps those after it from running.
    package func queryAll(_ group: [SQL]) async throws(PostgresError) -> [[Row]] {
        var parts: [PendingQuery.Part] = []
        for sql in group {
            parts.append(PendingQuery.Part(statement: try statements.statement(for: sql), parameters: sql.parameters))
        }
        guard !parts.isEmpty else { return [] }
        var results: [[Row]] = []
        for box in try await query(parts) { results.append(CopiedResult.rows(of: try box.take())) }
        return results
    }

    func query(_ parts: [PendingQuery.Part]) async throws(PostgresError) -> [RowsBox] {
        switch session {
        case .blocking(let session): return try session.query(parts)
        case .leased(let scope):
            return try await scope.loop.onLoop { () async throws(PostgresError) in try await scope.value.query(parts) }
        }
    }

    func group(_ parts: [PendingQuery.Part]) async -> Result<[RowsBox], StatementGroupError> {
        switch session {
        case .blocking(let session): return session.group(parts)
        case .leased(let scope): return await group(parts, in: scope)
        }
    }

    private func group(
        _ parts: [PendingQuery.Part],
        in scope: LoopBound<TransactionScope>
    ) async -> Result<[RowsBox], StatementGroupError> {
        do throws(PostgresError) {
            return try await scope.loop.onLoop { () async throws(PostgresError) in await scope.value.group(parts) }
        } catch {
            return .failure(StatementGroupError(error: error, index: nil))
        }
    }

    func commit() async throws(PostgresError) {
        switch session {
        case .blocking(let session): try session.commit()
        case .leased(let scope):
            try await scope.loop.onLoop { () async throws(PostgresError) in try await scope.value.commit() }
        }
    }

    package func rollBack() {
        switch session {
        case .blocking(let session): session.rollBack()
        case .leased(let scope): scope.loop.execute { scope.value.rollBack() }
        }
    }
}
