/// A transaction that outlives the call which has begun it, as one whose rows are read while a response is sent.
///
/// It only reads: it is rolled back at the end, and so it is when nobody holds it any more.
package final class HeldTransaction: Sendable {
    private let transaction: Transaction

    init(_ transaction: Transaction) { self.transaction = transaction }

    /// Runs statements in one round trip.
    package func run(_ calls: [StatementCall]) async throws(PostgresError) -> [RowsBox] {
        try await transaction.run(calls, mayLeaveTraces: false)
    }

    /// Gives the connection back.
    package func end() { transaction.rollBack() }

    deinit { transaction.rollBack() }
}

extension Database {
    /// Takes a connection for a transaction. Nothing is sent before its first statement.
    package func hold(for guest: Guest? = nil) async throws(PostgresError) -> HeldTransaction {
        HeldTransaction(try await begin(guest))
    }
}
