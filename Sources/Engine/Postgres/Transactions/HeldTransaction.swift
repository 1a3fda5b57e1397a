import Synchronization

/// A transaction that outlives the call which has begun it, as one whose rows are read while a response is sent.
///
/// It only reads: it is rolled back at the end, and so it is when nobody holds it any more.
package final class HeldTransaction: Sendable {
    private let transaction: Transaction
    private let places: HeldPlaces
    private let isOver = Atomic<Bool>(false)

    init(_ transaction: Transaction, in places: HeldPlaces) {
        self.transaction = transaction
        self.places = places
    }

    /// Runs statements in one round trip. Fails after the end.
    package func run(_ calls: [StatementCall], mayLeaveTraces: Bool) async throws(PostgresError) -> [RowsBox] {
        try await transaction.run(calls, mayLeaveTraces: mayLeaveTraces)
    }

    /// Gives the connection back. May be called while a statement runs, from anywhere, and again.
    package func end() {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        transaction.rollBack()
        places.giveBack()
    }

    deinit { end() }
}

extension Database {
    /// Takes a connection for a transaction. Nothing is sent before its first statement. nil while as many are held as
    /// may be.
    package func hold(for guest: Guest? = nil) async throws(PostgresError) -> HeldTransaction? {
        guard let pool = currentPool else {
            return try await onNextLoop { () async throws(PostgresError) in try await self.hold(for: guest) }
        }
        let places = pool.heldPlaces
        guard places.take() else { return nil }
        do throws(PostgresError) {
            return HeldTransaction(try await begin(guest?.asReader), in: places)
        } catch {
            places.giveBack()
            throw error
        }
    }
}
