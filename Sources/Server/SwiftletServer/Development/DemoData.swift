import SwiftletAuth
import SwiftletPostgres

/// Demo data: two tenants with users, and what the app adds to them.
struct DemoData: Sendable {
    /// The token that the banner shows: Ada, lead of Acme's service team.
    static func token(secret: Secret, now: Int) throws -> String {
        guard let tenant = TenantID(rawValue: "acme") else { return "" }
        var claims = UserClaims(userID: adaID, tenant: tenant)
        claims.email = DemoAccounts.email
        claims.roleLevel = 4
        claims.teamID = "acme-team-2"
        let payload = claims.payload(issuedAt: now, expiresAt: now + tokenLifetimeSeconds)
        return try TokenIssuer(secret: secret).issue(payload: payload)
    }

    static let tokenLifetimeSeconds = 7 * 86400

    private static let adaID = "a0000000-0000-4000-8000-000000000001"

    /// Inserts everything in one transaction, unless it was done before or there is a tenant. Returns whether it did.
    static func insert(_ appData: [String], into url: String) throws(BlockingConnectionError) -> Bool {
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute("BEGIN; SELECT pg_advisory_xact_lock(\(lock))")
        let isLivedIn = try connection.query("SELECT to_regclass('swiftlet.demo_data') IS NOT NULL") == [["t"]]
        guard !isLivedIn, try !hasTenants(connection) else {
            try connection.execute("ROLLBACK")
            return false
        }
        try connection.execute("CREATE TABLE swiftlet.demo_data (inserted_at timestamptz NOT NULL DEFAULT now())")
        try connection.execute(DemoPeople.sql)
        for sql in appData { try connection.execute(sql) }
        try connection.execute("COMMIT; DROP FUNCTION pg_temp.person; DROP TABLE pg_temp.people; ANALYZE")
        return true
    }

    private static func hasTenants(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> Bool {
        guard try connection.query("SELECT to_regclass('public.tenants') IS NOT NULL") == [["t"]] else { return false }
        return try !connection.query("SELECT 1 FROM public.tenants LIMIT 1").isEmpty
    }

    /// "demo" as a number.
    private static let lock = 0x6465_6d6f
}
