import Auth
import Postgres
import Synchronization

/// Finds the tenant and role level of users whose token has no tenant, in `public.users` by the token's `sub`.
///
/// Users are never matched by e-mail address, which somebody else may have had before or may claim at another issuer. A
/// user is remembered for a minute, an unknown one for five seconds.
final class MembershipDirectory: Sendable {
    private static let lifetimeNanoseconds: UInt64 = 60_000_000_000
    private static let absenceNanoseconds: UInt64 = 5_000_000_000
    private static let capacity = 10_000

    fileprivate struct Membership {
        let tenant: TenantID?
        let roleLevel: Int?
        let expires: UInt64
    }

    private let clock: ServerClock
    private let memberships = Mutex<[String: Membership]>([:])

    init(clock: ServerClock) {
        self.clock = clock
    }

    /// The user with the tenant from the table, and with the role's level unless the token has one; unchanged if the
    /// table has no such active user.
    func resolve(_ user: User, _ database: Database) async throws(PostgresError) -> User {
        guard user.isPerson else { return user }
        let now = clock.nanoseconds()
        let known = memberships.withLock { $0[user.id] }
        if let known, now < known.expires { return user.with(known) }
        let found = try await find(user.id, database)
        let lifetime = found == nil ? Self.absenceNanoseconds : Self.lifetimeNanoseconds
        let membership = Membership(tenant: found?.tenant, roleLevel: found?.roleLevel, expires: now &+ lifetime)
        memberships.withLock { memberships in
            if memberships.count >= Self.capacity { memberships = memberships.filter { now < $0.value.expires } }
            if memberships.count >= Self.capacity { memberships.removeAll(keepingCapacity: true) }
            memberships[user.id] = membership
        }
        return user.with(membership)
    }

    private func find(
        _ id: String,
        _ database: Database
    ) async throws(PostgresError) -> (tenant: TenantID, roleLevel: Int?)? {
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
            return (tenant, row["level"].flatMap { Int($0) })
        } catch {
            guard Self.meansNoUser(error) else { throw error }
            return nil
        }
    }

    /// There is no such table or column, or the column's type cannot hold the id.
    private static func meansNoUser(_ error: PostgresError) -> Bool {
        switch error.state {
        case .undefinedTable, .undefinedColumn, .undefinedFunction: true
        default: error.state.errorClass == "22" || error.kind == .invalidParameters
        }
    }
}

extension User {
    fileprivate func with(_ membership: MembershipDirectory.Membership) -> User {
        guard let tenant = membership.tenant else { return self }
        return placed(in: tenant, roleLevel: membership.roleLevel)
    }
}
