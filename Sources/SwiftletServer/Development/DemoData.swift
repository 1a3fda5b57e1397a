import Auth
import Postgres

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

    /// Inserts everything in one transaction, unless there already is a tenant. Returns whether it did.
    static func insert(_ appData: [String], into url: String) throws(BlockingConnectionError) -> Bool {
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute("BEGIN; LOCK TABLE tenants IN SHARE ROW EXCLUSIVE MODE")
        guard try connection.query("SELECT 1 FROM tenants LIMIT 1").isEmpty else {
            try connection.execute("ROLLBACK")
            return false
        }
        try connection.execute(personID)
        try connection.execute(people)
        for sql in appData { try connection.execute(sql) }
        try connection.execute("COMMIT; DROP FUNCTION pg_temp.person; ANALYZE")
        return true
    }

    /// The id of a tenant's n-th user; also the account's id.
    private static let personID = """
        CREATE FUNCTION pg_temp.person(tenant text, number bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
            SELECT CASE tenant WHEN 'acme' THEN 'a' ELSE 'b' END || '0000000-0000-4000-8000-'
                || lpad(number::text, 12, '0')
        $$;
        """

    private static let people = """
        INSERT INTO tenants (id, name, slug, plan)
        VALUES ('acme', 'Acme Copiers', 'acme', 'professional'), ('nordlicht', 'Nordlicht Büro', 'nordlicht', 'basic');

        INSERT INTO roles (id, name, code, department, level, description)
        SELECT 'role-' || level, name, upper(replace(name, ' ', '_')), 'service', level, 'Demo role'
        FROM unnest(ARRAY['Individual', 'Team lead', 'Supervisor', 'Manager', 'Director', 'Regional manager',
                          'Company admin', 'Platform admin']) WITH ORDINALITY AS list (name, level)
        ON CONFLICT DO NOTHING;

        INSERT INTO teams (id, tenant_id, name, department)
        SELECT tenant.id || '-team-' || number, tenant.id, list.name, lower(list.name)
        FROM tenants AS tenant, unnest(ARRAY['Service', 'Sales']) WITH ORDINALITY AS list (name, number);

        INSERT INTO users (id, tenant_id, email, first_name, last_name, role_id, team_id)
        SELECT pg_temp.person(tenant.id, number), tenant.id, lower(first) || '@' || tenant.id || '.example', first, last,
            'role-' || level, tenant.id || '-team-' || 1 + number % 2
        FROM tenants AS tenant,
            unnest(
                ARRAY['Ada', 'Björn', 'Chloé', 'Dmitri', 'Elif', 'Farid', 'Grace', 'Hana'],
                ARRAY['Lovelace', 'Øst', 'Dubois', 'Ivanov', 'Yılmaz', 'Haddad', 'Okafor', 'Sato'],
                ARRAY[4, 1, 1, 2, 3, 1, 7, 1]
            ) WITH ORDINALITY AS list (first, last, level, number);
        """
}
