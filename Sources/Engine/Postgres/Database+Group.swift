extension Database {
    /// Runs statements as one transaction in one round trip: all of them take effect, or none. Each sees what those
    /// before it did, and what others have committed meanwhile. An error in one keeps those after it from running.
    package func queryGroup(_ calls: [StatementCall]) async throws(StatementGroupError) -> [RowsBox] {
        try await group(calls.map { PendingQuery.Part(statement: $0.statement, parameters: $0.parameters) }).get()
    }

    /// The same as ``runIsolated(_:isUndone:guest:mayLeaveTraces:)``, of statements that only read; says which has failed.
    func isolatedGroup(_ calls: [StatementCall], guest: Guest?) async throws(StatementGroupError) -> [RowsBox] {
        let parts = calls.map { PendingQuery.Part(statement: $0.statement, parameters: $0.parameters) }
        return try await group(parts, isIsolated: true, guest: guest).get()
    }
}

extension Transaction {
    /// Runs several statements in one round trip. An error in one fails the transaction.
    package func queryGroup(_ calls: [StatementCall]) async throws(StatementGroupError) -> [RowsBox] {
        try await group(calls.map { PendingQuery.Part(statement: $0.statement, parameters: $0.parameters) }).get()
    }
}
