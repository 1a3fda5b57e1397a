extension Transaction {
    private static let savepoint = Statement("SAVEPOINT swiftlet_undoing", isReadOnly: false)
    private static let rollback = Statement("ROLLBACK TO SAVEPOINT swiftlet_undoing", isReadOnly: false)
    private static let release = Statement("RELEASE SAVEPOINT swiftlet_undoing", isReadOnly: false)

    /// Runs `body` behind a savepoint, and takes back what it has done, also where a statement of it has failed.
    package func undoing<Value>(_ body: (Transaction) async throws -> Value) async throws -> Value {
        _ = try await query(Self.savepoint, .none)
        let value: Value
        do {
            value = try await body(self)
        } catch {
            try await takeBack()
            throw error
        }
        try await takeBack()
        return value
    }

    private func takeBack() async throws(PostgresError) {
        _ = try await query(Self.rollback, .none)
        _ = try await query(Self.release, .none)
    }
}
