import Logging
public import SwiftletPostgres

/// The database as one person or one device sees it.
///
///     let rows = try await context.personalDatabase.query(
///         "SELECT last_check_in FROM check_ins WHERE user_id = \(context.person)"
///     )
///
/// A statement that does not bind the caller is refused before it is sent, so that the scope cannot be forgotten.
public struct ScopedDatabase: Sendable {
    let context: Context
    let scope: String
    let name: String

    /// Throws ``PostgresError``, or ``APIError`` 500 if `sql` does not bind the caller.
    @discardableResult
    public func query(_ sql: SQL) async throws -> [Row] {
        guard sql.boundScopes.contains(scope) else {
            context.logger.error("a statement without the \(name) was refused; bind \\(context.\(name)) in it")
            throw APIError.internal
        }
        return try await context.query(sql)
    }
}
