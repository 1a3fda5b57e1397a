/// One statement with its values, of several that run as one transaction.
package struct StatementCall: Sendable {
    package let statement: Statement
    package let parameters: Parameters

    package init(_ statement: Statement, _ parameters: Parameters) {
        self.statement = statement
        self.parameters = parameters
    }
}

extension Database {
    /// Runs statements as one transaction in one round trip: all of them take effect, or none. What they set locally,
    /// such as a role, ends with them and reaches no other statement.
    ///
    /// They are one batch of the pipeline, which is an implicit transaction (libpq manual, "Pipeline Mode"). If each of
    /// them only reads, they are repeated on another connection when theirs breaks. With `isUndone` the transaction is
    /// rolled back when it has given its results, which takes a second round trip. `guest` is whose statements they are.
    /// What they set for the rest of the session is taken back if they `mayLeaveTraces`; behind a transaction pooler, whose
    /// sessions are not ours, only the pooler can do that.
    package func runIsolated(
        _ calls: [StatementCall],
        isUndone: Bool = false,
        guest: Guest? = nil,
        mayLeaveTraces: Bool = false
    ) async throws(PostgresError) -> [RowsBox] {
        let parts = calls.map { PendingQuery.Part(statement: $0.statement, parameters: $0.parameters) }
        guard isUndone else { return try await runGroup(parts, guest, mayLeaveTraces: mayLeaveTraces) }
        let transaction = try await begin(guest)
        defer { transaction.rollBack() }
        return try await transaction.query(parts)
    }
}
