/// The people of the demo data: two tenants with eight users each.
enum DemoPeople {
    /// Makes the table `pg_temp.people`, and `pg_temp.person(tenant, number)`: the id of a tenant's n-th user, which is the
    /// account's id as well.
    static let sql = """
        CREATE FUNCTION pg_temp.person(tenant text, number bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
            SELECT CASE tenant WHEN 'acme' THEN 'a' ELSE 'b' END || '0000000-0000-4000-8000-'
                || lpad(number::text, 12, '0')
        $$;

        CREATE TEMP TABLE people AS
        SELECT tenant.id AS tenant_id, tenant.name AS tenant_name, tenant.plan, number,
            pg_temp.person(tenant.id, number) AS id, lower(first) || '@' || tenant.id || '.example' AS email,
            first AS first_name, last AS last_name, level, 'role-' || level AS role_id,
            tenant.id || '-team-' || 1 + number % 2 AS team_id
        FROM (VALUES ('acme', 'Acme Copiers', 'professional'), ('nordlicht', 'Nordlicht Büro', 'basic'))
                AS tenant (id, name, plan),
            unnest(
                ARRAY['Ada', 'Björn', 'Chloé', 'Dmitri', 'Elif', 'Farid', 'Grace', 'Hana'],
                ARRAY['Lovelace', 'Øst', 'Dubois', 'Ivanov', 'Yılmaz', 'Haddad', 'Okafor', 'Sato'],
                ARRAY[4, 1, 1, 2, 3, 1, 7, 1]
            ) WITH ORDINALITY AS list (first, last, level, number);
        """
}
