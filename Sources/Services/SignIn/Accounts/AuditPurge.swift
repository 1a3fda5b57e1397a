package import SwiftletWeb
import SwiftletPostgres

/// Deletes entries of the audit log that are older than the operator keeps them.
package struct AuditPurge: Sendable {
    /// Of one statement, so that none holds many locks.
    private static let batchRows = 5_000

    private let days: Int

    package init(days: Int) { self.days = days }

    /// Returns how many entries there were; 0 where there is no such table, or it may not be changed. Throws
    /// ``PostgresError``.
    @discardableResult
    package func run(_ context: Context) async throws -> Int {
        let usable = try await context.query(
            """
            SELECT 1 FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = 'auth' AND c.relname = 'audit_log_entries'
                AND has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'DELETE')
            """
        )
        guard !usable.isEmpty else { return 0 }
        var total = 0
        while true {
            let rows = try await context.query(
                """
                WITH gone AS (
                    DELETE FROM auth.audit_log_entries WHERE ctid = ANY (ARRAY (
                        SELECT ctid FROM auth.audit_log_entries
                        WHERE created_at < clock_timestamp() - \(days)::int * interval '1 day'
                        ORDER BY created_at LIMIT \(Self.batchRows) FOR UPDATE SKIP LOCKED
                    ))
                    RETURNING 1
                )
                SELECT count(*)::integer AS count FROM gone
                """
            )
            let count = try rows.first?.decode(Int.self, "count") ?? 0
            total += count
            if count < Self.batchRows { return total }
        }
    }
}
