import SwiftletBytes
import SwiftletAuth
import SwiftletPostgres

/// Decides which tenant a request works in: the user's, or for platform users the one in `x-tenant-id`.
///
/// The header only counts for platform users, and only if the tenant exists; otherwise it is ignored, because apps send
/// stale ones. A tenant is remembered for a minute, a missing one for five seconds.
final class TenantDirectory: Sendable {
    /// Whether a tenant exists.
    private let known: RecentResults<Bool>

    init(clock: ServerClock) {
        known = RecentResults(clock: clock)
    }

    func tenant(for user: User, _ request: Request, _ database: Database) async throws -> TenantID? {
        guard user.isPlatformUser, let name = request.header(.xTenantID), let wanted = TenantID(rawValue: name),
            wanted != user.tenant
        else { return user.tenant }
        return try await exists(wanted, database) ? wanted : user.tenant
    }

    private func exists(_ tenant: TenantID, _ database: Database) async throws -> Bool {
        if let exists = known[tenant.rawValue] { return exists }
        let exists = try await find(tenant, database)
        known.remember(exists, for: tenant.rawValue, seconds: exists ? 60 : 5)
        return exists
    }

    private func find(_ tenant: TenantID, _ database: Database) async throws(PostgresError) -> Bool {
        // Requests are accepted before the catalog was read.
        if database.schema.version == 0 { try await database.reloadSchema() }
        // Apps send stale texts, and each that is refused would be in PostgreSQL's log.
        let isUUID = database.schema.tables["tenants"]?.column("id")?.type.category == .uuid
        if isUUID, !UUIDText.isValid(tenant.rawValue) { return false }
        do throws(PostgresError) {
            let rows = try await database.query(Self.lookup(of: tenant))
            // The type may know several spellings, but the columns that name the tenant may be texts.
            return rows.first?["id"] == tenant.rawValue
        } catch {
            guard error.meansNoSuchKey else { throw error }
            return false
        }
    }

    /// No cast on the parameter: it takes the column's type, so that the index can be used.
    static func lookup(of tenant: TenantID) -> SQL {
        "SELECT id::text AS id FROM tenants WHERE id = \(tenant.rawValue) LIMIT 1"
    }
}
