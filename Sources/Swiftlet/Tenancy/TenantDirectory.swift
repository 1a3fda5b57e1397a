import Auth
import Postgres
import Synchronization

/// Decides which tenant a request works in: the user's, or for platform users the one in `x-tenant-id`.
///
/// The header only counts for platform users, and only if the tenant exists; otherwise it is ignored, because apps send
/// stale ones.
final class TenantDirectory: Sendable {
    private static let lifetimeNanoseconds: UInt64 = 60_000_000_000
    private static let capacity = 10_000

    private let clock: ServerClock
    /// Tenant → when it was last found. Missing tenants are not cached.
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
            // Without that table there is no other tenant to switch to.
            guard error.state == .undefinedTable else { throw error }
            return false
        }
    }
}
