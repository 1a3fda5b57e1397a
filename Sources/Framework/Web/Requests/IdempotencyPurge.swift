import SwiftletPostgres

/// Forgets idempotency keys, with their answers, a day after they were sent.
package enum IdempotencyPurge {
    /// Of one statement, so that none holds many locks.
    private static let batchRows = 5_000

    /// Returns how many keys there were. Throws ``PostgresError``.
    @discardableResult
    package static func run(_ context: Context) async throws -> Int {
        var total = 0
        while true {
            let rows = try await context.query(
                """
                WITH gone AS (
                    DELETE FROM swiftlet.idempotency_keys WHERE ctid = ANY (ARRAY (
                        SELECT ctid FROM swiftlet.idempotency_keys
                        WHERE created_at < clock_timestamp() - interval '24 hours'
                        ORDER BY created_at LIMIT \(batchRows) FOR UPDATE SKIP LOCKED
                    ))
                    RETURNING 1
                )
                SELECT count(*)::integer AS count FROM gone
                """
            )
            let count = try rows.first?.decode(Int.self, "count") ?? 0
            total += count
            if count < batchRows { return total }
        }
    }
}
