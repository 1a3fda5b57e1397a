public import SwiftletPostgres

/// The database without any scope: each statement sees the rows of all tenants and users.
public struct UnscopedDatabase: Sendable {
    let context: Context

    /// Throws ``PostgresError``.
    @discardableResult
    public func query(_ sql: SQL) async throws -> [Row] {
        try await context.query(sql)
    }
}
