/// Queries of who may do what with the objects of the app's schemas.
enum SchemaRights {
    /// What has an owner and rights. `letter` is that of `pg_default_acl`.
    private static let objects = """
        (
            SELECT \(SchemaObject.name) AS name, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS word,
                CASE c.relkind WHEN 'S' THEN 'S' ELSE 'r' END::"char" AS letter, c.relowner AS owner,
                coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner)) AS acl,
                n.oid AS space
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND n.oid IN \(SchemaObject.app)
                AND \(SchemaObject.isOwn("pg_class", "c")) AND NOT EXISTS (
                    SELECT FROM pg_depend i
                    WHERE i.classid = 'pg_catalog.pg_class'::regclass AND i.objid = c.oid AND c.relkind = 'S'
                        AND i.deptype = 'i'
                )
            UNION ALL
            SELECT p.oid::regprocedure::text, 'ROUTINE', 'f', p.proowner,
                coalesce(p.proacl, acldefault('f', p.proowner)), p.pronamespace
            FROM pg_proc p
            WHERE p.pronamespace IN \(SchemaObject.app) AND p.prokind IN ('f', 'p')
                AND \(SchemaObject.isOwn("pg_proc", "p"))
            UNION ALL
            SELECT quote_ident(s.nspname), 'SCHEMA', 'n', s.nspowner, coalesce(s.nspacl, acldefault('n', s.nspowner)),
                s.oid
            FROM pg_namespace s WHERE s.oid IN \(SchemaObject.app)
            UNION ALL
            SELECT t.oid::regtype::text, 'TYPE', 'T', t.typowner, coalesce(t.typacl, acldefault('T', t.typowner)),
                t.typnamespace
            FROM pg_type t
            WHERE t.typnamespace IN \(SchemaObject.app) AND t.typtype IN ('e', 'd')
                AND \(SchemaObject.isOwn("pg_type", "t"))
        ) AS o
        """

    private static let grantee =
        "CASE WHEN g.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END"
    private static let option = "CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END"

    /// What everybody may do with a new function or type is told by ``denials``.
    static let grants = """
        SELECT format('%s %s %s %s%s', o.word, o.name, g.privilege_type, \(grantee), \(option)), o.name,
            format('GRANT %s ON %s %s TO %s%s', g.privilege_type, o.word, o.name, \(grantee), \(option)),
            format('REVOKE %s ON %s %s FROM %s', g.privilege_type, o.word, o.name, \(grantee))
        FROM \(objects) CROSS JOIN aclexplode(o.acl) g
        WHERE g.grantee <> o.owner AND NOT (g.grantee = 0 AND o.word IN ('ROUTINE', 'TYPE'))
        UNION ALL
        SELECT format('%s(%I) %s %s%s', \(SchemaObject.name), a.attname, g.privilege_type, \(grantee), \(option)),
            \(SchemaObject.name),
            format('GRANT %s (%I) ON TABLE %s TO %s%s', g.privilege_type, a.attname, \(SchemaObject.name), \(grantee),
                \(option)),
            format('REVOKE %s (%I) ON TABLE %s FROM %s', g.privilege_type, a.attname, \(SchemaObject.name), \(grantee))
        FROM \(SchemaObject.tables) JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
            CROSS JOIN aclexplode(a.attacl) g
        WHERE g.grantee <> c.relowner
        """

    /// What somebody may do with every new object of the kind, but not with this one: a statement that makes the object
    /// gives the right, by PostgreSQL's own rule or by `ALTER DEFAULT PRIVILEGES`.
    static let denials = """
        SELECT format('%s %s %s %s', o.word, o.name, g.privilege_type, \(grantee)), o.name,
            format('REVOKE %s ON %s %s FROM %s', g.privilege_type, o.word, o.name, \(grantee)),
            format('GRANT %s ON %s %s TO %s', g.privilege_type, o.word, o.name, \(grantee))
        FROM \(objects) JOIN (
            SELECT 'f'::"char" AS letter, 0::oid AS grantee, 'EXECUTE' AS privilege_type, NULL::oid AS space
            UNION ALL SELECT 'T', 0, 'USAGE', NULL
            UNION SELECT d.defaclobjtype, e.grantee, e.privilege_type, nullif(d.defaclnamespace, 0)
                FROM pg_default_acl d CROSS JOIN aclexplode(d.defaclacl) e WHERE e.grantee <> d.defaclrole
        ) AS g ON g.letter = o.letter AND (g.space IS NULL OR g.space = o.space)
        WHERE g.grantee <> o.owner AND NOT EXISTS (
            SELECT FROM aclexplode(o.acl) h WHERE h.grantee = g.grantee AND h.privilege_type = g.privilege_type
        )
        """
}
