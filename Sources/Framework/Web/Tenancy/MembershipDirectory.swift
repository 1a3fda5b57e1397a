import SwiftletAuth
import SwiftletPostgres

/// Finds the tenant and role level of users whose token has no tenant, in `public.users` by the token's `sub`.
///
/// Users are never matched by e-mail address, which somebody else may have had before or may claim at another issuer. A
/// user is remembered for a minute, an unknown one for five seconds.
final class MembershipDirectory: Sendable {
    fileprivate struct Membership {
        let tenant: TenantID
        let roleLevel: Int?
    }

    /// By the user's id; nil for an unknown one.
    private let known: RecentResults<Membership?>

    init(clock: ServerClock) {
        known = RecentResults(clock: clock)
    }

    /// The user with the tenant from the table, and with the role's level unless the token has one; unchanged if the
    /// table has no such active user.
    func resolve(_ user: User, _ database: Database) async throws(PostgresError) -> User {
        guard user.isPerson else { return user }
        if let membership = known[user.id] { return user.with(membership) }
        let membership = try await find(user.id, database)
        known.remember(membership, for: user.id, seconds: membership == nil ? 5 : 60)
        return user.with(membership)
    }

    private func find(_ id: String, _ database: Database) async throws(PostgresError) -> Membership? {
        // Requests are accepted before the catalog was read.
        if database.schema.version == 0 { try await database.reloadSchema() }
        do throws(PostgresError) {
            let tables = database.schema.tables
            let (users, roles) = (tables["users"], tables["roles"])
            let hasRoles =
                users?.column("role_id") != nil && roles?.column("id") != nil && roles?.column("level") != nil
            let hasActivity = users?.column("is_active") != nil
            let level: SQL =
                hasRoles ? "(SELECT r.level FROM roles r WHERE r.id::text = u.role_id::text LIMIT 1)" : "NULL::integer"
            let activity: SQL = hasActivity ? "AND u.is_active IS NOT FALSE" : ""
            // No cast on the parameter: it takes the column's type, so that the index can be used.
            let rows = try await database.query(
                """
                SELECT u.tenant_id::text AS tenant, \(level) AS level FROM public.users u
                WHERE u.id = \(id) \(activity) LIMIT 1
                """
            )
            guard let row = rows.first, let tenant = row["tenant"].flatMap(TenantID.init(rawValue:)) else { return nil }
            return Membership(tenant: tenant, roleLevel: row["level"].flatMap { Int($0) })
        } catch {
            guard error.meansNoSuchKey else { throw error }
            return nil
        }
    }
}

extension User {
    fileprivate func with(_ membership: MembershipDirectory.Membership?) -> User {
        guard let membership else { return self }
        return placed(in: membership.tenant, roleLevel: membership.roleLevel)
    }
}

extension PostgresError {
    /// There is no such table or column, or the column's type cannot hold the key.
    var meansNoSuchKey: Bool {
        switch state {
        case .undefinedTable, .undefinedColumn, .undefinedFunction: true
        default: state.errorClass == "22" || kind == .invalidParameters
        }
    }
}
