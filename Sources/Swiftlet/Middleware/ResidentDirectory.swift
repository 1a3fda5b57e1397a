import Auth
import Postgres
import Synchronization

/// Whose tenant is which, for users whose token does not say: what `public.users` has under the token's `sub`.
///
/// Never by e-mail, which somebody else may have had before, or may claim at another issuer. A token with a tenant is
/// taken at its word and costs nothing here.
final class ResidentDirectory: Sendable {
    private static let lifetimeNanoseconds: UInt64 = 60_000_000_000
    /// Who has just been given a tenant should not wait for it.
    private static let absenceNanoseconds: UInt64 = 5_000_000_000
    private static let capacity = 10_000

    fileprivate struct Place {
        let tenant: TenantID?
        let roleLevel: Int?
        let expires: UInt64
    }

    private let clock: ServerClock
    private let places = Mutex<[String: Place]>([:])

    init(clock: ServerClock) {
        self.clock = clock
    }

    /// The user with the tenant from the table, and with its role's level unless the token has one; the same user when
    /// there is none.
    func place(_ user: User, _ database: Database) async throws(PostgresError) -> User {
        guard user.isPerson else { return user }
        let now = clock.nanoseconds()
        let known = places.withLock { $0[user.id] }
        if let known, now < known.expires { return user.placed(known) }
        let found = try await find(user.id, database)
        let lifetime = found == nil ? Self.absenceNanoseconds : Self.lifetimeNanoseconds
        let place = Place(tenant: found?.tenant, roleLevel: found?.roleLevel, expires: now &+ lifetime)
        places.withLock { places in
            if places.count >= Self.capacity { places = places.filter { now < $0.value.expires } }
            if places.count >= Self.capacity { places.removeAll(keepingCapacity: true) }
            places[user.id] = place
        }
        return user.placed(place)
    }

    private func find(
        _ id: String,
        _ database: Database
    ) async throws(PostgresError) -> (tenant: TenantID, roleLevel: Int?)? {
        do throws(PostgresError) {
            let users = database.schema.tables["users"]
            let roles = database.schema.tables["roles"]
            let hasRoles =
                users?.column("role_id") != nil && roles?.column("id") != nil && roles?.column("level") != nil
            let hasActivity = users?.column("is_active") != nil
            let level: SQL =
                hasRoles ? "(SELECT r.level FROM roles r WHERE r.id::text = u.role_id::text LIMIT 1)" : "NULL::integer"
            let activity: SQL = hasActivity ? "AND u.is_active IS NOT FALSE" : ""
            // Bound without a cast: the parameter takes the column's type, whatever that is, and the index serves.
            let rows = try await database.query(
                """
                SELECT u.tenant_id::text AS tenant, \(level) AS level FROM public.users u
                WHERE u.id = \(id) \(activity) LIMIT 1
                """
            )
            guard let row = rows.first, let tenant = row["tenant"].flatMap(TenantID.init(rawValue:)) else { return nil }
            return (tenant, row["level"].flatMap { Int($0) })
        } catch {
            guard Self.meansNobody(error) else { throw error }
            return nil
        }
    }

    /// No such table or column, or an id that the column's type cannot hold: then nobody is of that id.
    private static func meansNobody(_ error: PostgresError) -> Bool {
        switch error.state {
        case .undefinedTable, .undefinedColumn, .undefinedFunction: true
        default: error.state.errorClass == "22" || error.kind == .invalidParameters
        }
    }
}

extension User {
    fileprivate func placed(_ place: ResidentDirectory.Place) -> User {
        guard let tenant = place.tenant else { return self }
        return placed(in: tenant, roleLevel: place.roleLevel)
    }
}
