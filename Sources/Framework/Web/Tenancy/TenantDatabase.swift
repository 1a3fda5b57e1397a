public import SwiftletAuth
import Logging
public import SwiftletPostgres

/// The database as one tenant sees it.
///
///     let rows = try await context.database.query(
///         "SELECT count(*) FROM tasks WHERE tenant_id = \(context.tenant) AND status = \(status)"
///     )
///
/// A statement that does not bind this request's ``Context/tenant`` is refused before it is sent, so that the tenant
/// cannot be forgotten.
public struct TenantDatabase: Sendable {
    let context: Context
    let tenant: TenantID

    /// Throws ``PostgresError``, or ``APIError`` 500 if `sql` does not bind the tenant.
    public func query(_ sql: SQL) async throws -> [Row] {
        guard sql.boundScopes.contains(tenant.rawValue) else {
            context.logger.error("a statement without the tenant was refused; bind \\(context.tenant) in it")
            throw APIError.internal
        }
        return try await queryAcrossTenants(sql)
    }

    /// Runs `sql` without requiring the tenant: it sees every tenant's rows. For global tables only: roles, plans,
    /// tenants.
    ///
    /// Throws ``PostgresError``.
    @discardableResult
    public func queryAcrossTenants(_ sql: SQL) async throws -> [Row] {
        try await context.query(sql)
    }
}

extension SQL.StringInterpolation {
    /// Binds the tenant as a parameter and marks the statement as scoped by it.
    public mutating func appendInterpolation(_ tenant: TenantID) {
        appendInterpolation(tenant.rawValue)
        markScope(tenant.rawValue)
    }
}
