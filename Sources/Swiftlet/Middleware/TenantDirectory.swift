import Auth
import Postgres
import Synchronization

/// Which tenant a request works in: the token's, or for platform users the one that `x-tenant-id` names.
///
/// The header counts only for platform users and only when the tenant exists; from anyone else a stale header is normal
/// and is ignored.
final class TenantDirectory: Sendable {
    private static let lifetimeNanoseconds: UInt64 = 60_000_000_000
    private static let capacity = 10_000

    private let clock: ServerClock
    /// Tenant → when its existence was last seen. Absent tenants are not remembered.
    private let seen = Mutex<[String: UInt64]>([:])

    init(clock: ServerClock) {
        self.clock = clock
    }

    func tenant(for user: User, _ request: Request, _ database: Database) async throws -> TenantID? {
        guard user.isPlatformUser, let name = request.header(.xTenantID), let wanted = TenantID(rawValue: name),
            wanted != user.tenant
        else { return user.tenant }
        return try await exists(wanted, database) ? wanted : user.tenant
    }

    private func exists(_ tenant: TenantID, _ database: Database) async throws -> Bool {
        let now = clock.nanoseconds()
        let isFresh = seen.withLock { ($0[tenant.rawValue]).map { now &- $0 < Self.lifetimeNanoseconds } ?? false }
        if isFresh { return true }
        guard try await find(tenant, database) else { return false }
        seen.withLock { seen in
            if seen.count >= Self.capacity { seen.removeAll() }
            seen[tenant.rawValue] = now
        }
        return true
    }

    private func find(_ tenant: TenantID, _ database: Database) async throws(PostgresError) -> Bool {
        do {
            return try await !database.query("SELECT 1 FROM tenants WHERE id::text = \(tenant.rawValue) LIMIT 1")
                .isEmpty
        } catch {
            // A database without that table has no other tenant to switch to.
            guard error.state == .undefinedTable else { throw error }
            return false
        }
    }
}
