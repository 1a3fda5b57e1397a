import EventLoop

/// A transaction on a connection of its own, for as long as the closure of ``Database/transaction(_:)`` runs.
///
/// Used after that, every call fails.
package final class Transaction: Sendable {
    private let scope: LoopBound<TransactionScope>
    private let statements: StatementCache

    init(_ scope: LoopBound<TransactionScope>, _ statements: StatementCache) {
        self.scope = scope
        self.statements = statements
    }

    package func query(_ statement: Statement, _ parameters: consuming Parameters) async throws(PostgresError) -> Rows {
        let boxes = try await query([(statement, parameters)])
        guard let rows = boxes.first?.take() else { throw .connectionLostAfterSending }
        return rows
    }

    @discardableResult
    package func query(_ sql: SQL) async throws(PostgresError) -> [Row] {
        let text = sql.text
        guard !SQLClassifier.controlsTransactions(text) else { throw .noTransactionControl }
        return CopiedResult.rows(of: try await query(statements.statement(for: text), sql.parameters))
    }

    /// Runs several statements in one round trip; each sees what those before it did and what others have committed
    /// meanwhile. An error in one keeps those after it from running.
    package func queryAll(_ group: [SQL]) async throws(PostgresError) -> [[Row]] {
        var parts: [(Statement, Parameters)] = []
        for sql in group {
            let text = sql.text
            guard !SQLClassifier.controlsTransactions(text) else { throw .noTransactionControl }
            parts.append((statements.statement(for: text), sql.parameters))
        }
        var results: [[Row]] = []
        for box in try await query(parts) {
            guard let rows = box.take() else { throw .connectionLostAfterSending }
            results.append(CopiedResult.rows(of: rows))
        }
        return results
    }

    private func query(_ group: [(Statement, Parameters)]) async throws(PostgresError) -> [RowsBox] {
        guard !group.isEmpty else { return [] }
        let scope = scope
        return try await scope.loop.onLoop { () async throws(PostgresError) in
            try await scope.value.query(group.map { PendingQuery.Part(statement: $0, parameters: $1) })
        }
    }

    func commit() async throws(PostgresError) {
        let scope = scope
        try await scope.loop.onLoop { () async throws(PostgresError) in try await scope.value.commit() }
    }

    func rollBack() {
        let scope = scope
        scope.loop.execute { scope.value.rollBack() }
    }
}
