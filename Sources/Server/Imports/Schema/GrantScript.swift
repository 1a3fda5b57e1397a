import SwiftletPostgres

/// The rights of the API's roles and of the app's own ones, as statements. Those of Supabase's services stay behind.
struct GrantScript {
    let project: ProjectDatabase
    /// What the dump leaves out: "1255 16402".
    let excluded: Set<String>

    /// Roles that the app has made and that rights or policies name, without a password.
    static func roles(_ project: ProjectDatabase) throws -> [String] {
        try project.texts(
            """
            SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' AND rolname !~ '^cli_login'
                AND rolname NOT IN (\(ProjectSchemas.list(ProjectSchemas.roles)), 'anon', 'authenticated', 'service_role')
                AND oid IN (
                    SELECT g.grantee FROM pg_class c, aclexplode(c.relacl) g
                        WHERE c.relnamespace IN \(ProjectSchemas.app) AND g.grantee <> c.relowner
                    UNION SELECT g.grantee FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid, aclexplode(a.attacl) g
                        WHERE c.relnamespace IN \(ProjectSchemas.app) AND g.grantee <> c.relowner
                    UNION SELECT g.grantee FROM pg_proc p, aclexplode(p.proacl) g
                        WHERE p.pronamespace IN \(ProjectSchemas.app) AND g.grantee <> p.proowner
                    UNION SELECT g.grantee FROM pg_namespace n, aclexplode(n.nspacl) g
                        WHERE n.oid IN \(ProjectSchemas.app) AND g.grantee <> n.nspowner
                    UNION SELECT unnest(l.polroles) FROM pg_policy l JOIN pg_class c ON c.oid = l.polrelid
                        WHERE c.relnamespace IN \(ProjectSchemas.app) OR \(isAttached)
                )
            ORDER BY 1
            """
        )
    }

    /// A condition on `pg_policy l`: it is on a table of the platform that apps have policies on.
    static let isAttached = """
        l.polrelid IN (to_regclass('storage.objects'), to_regclass('storage.buckets'), to_regclass('realtime.messages'))
        """

    /// The API's roles and those, which are those of ``roles(_:)``, as literals of SQL.
    static func known(_ roles: [String]) -> String {
        (["anon", "authenticated", "service_role"] + roles).map(ImportLedger.literal).joined(separator: ", ")
    }

    /// `roles` are those of ``roles(_:)``.
    func statements(_ roles: [String]) throws -> [String] {
        let isWanted = "(g.grantee = 0 OR r.rolname IN (\(Self.known(roles))))"
        let grantee = "CASE WHEN g.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END"
        let option = "CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END"
        let isFunction = "p.prokind IN ('f', 'p', 'a', 'w') AND p.pronamespace IN \(ProjectSchemas.app)"
        let isOwnType = """
            t.typnamespace IN \(ProjectSchemas.app) AND t.typtype IN ('d', 'e', 'r')
                OR t.typnamespace IN \(ProjectSchemas.app) AND t.typtype = 'c'
                    AND (SELECT relkind FROM pg_class WHERE oid = t.typrelid) = 'c'
            """
        var statements: [String] = []
        statements += try project.texts(
            """
            SELECT format('GRANT %s ON SCHEMA %I TO %s%s', g.privilege_type, n.nspname, \(grantee), \(option))
            FROM pg_namespace n CROSS JOIN aclexplode(n.nspacl) g LEFT JOIN pg_roles r ON r.oid = g.grantee
            WHERE n.oid IN \(ProjectSchemas.app) AND g.grantee <> n.nspowner AND \(isWanted)
                -- Before PostgreSQL 15, everybody could make tables in public.
                AND NOT (g.grantee = 0 AND g.privilege_type = 'CREATE')
            """
        )
        statements += try project.texts(
            """
            SELECT format('GRANT %s ON %s %I.%I TO %s%s', string_agg(g.privilege_type, ', '),
                CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, n.nspname, c.relname, \(grantee), \(option))
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN aclexplode(c.relacl) g
                LEFT JOIN pg_roles r ON r.oid = g.grantee
            WHERE n.oid IN \(ProjectSchemas.app) AND g.grantee <> c.relowner AND \(isWanted)
                AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND \(ProjectSchemas.isOwn("pg_class", "c"))
                AND g.privilege_type <> 'MAINTAIN' AND \(isKept("pg_class", "c"))
            GROUP BY c.oid, c.relkind, n.nspname, c.relname, g.grantee, r.rolname, g.is_grantable
            """
        )
        statements += try project.texts(
            """
            SELECT format('GRANT %s (%I) ON TABLE %I.%I TO %s%s', g.privilege_type, a.attname, n.nspname, c.relname,
                \(grantee), \(option))
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                CROSS JOIN aclexplode(a.attacl) g LEFT JOIN pg_roles r ON r.oid = g.grantee
            WHERE n.oid IN \(ProjectSchemas.app) AND NOT a.attisdropped AND g.grantee <> c.relowner AND \(isWanted)
                AND \(isKept("pg_class", "c"))
            """
        )
        statements += try project.texts(
            """
            SELECT format('REVOKE ALL ON ROUTINE %s FROM PUBLIC', p.oid::regprocedure) FROM pg_proc p
            WHERE \(isFunction) AND p.proacl IS NOT NULL AND \(ProjectSchemas.isOwn("pg_proc", "p"))
                AND \(isKept("pg_proc", "p"))
            """
        )
        statements += try project.texts(
            """
            SELECT format('GRANT EXECUTE ON ROUTINE %s TO %s%s', p.oid::regprocedure, \(grantee), \(option))
            FROM pg_proc p CROSS JOIN aclexplode(p.proacl) g LEFT JOIN pg_roles r ON r.oid = g.grantee
            WHERE \(isFunction) AND g.grantee <> p.proowner AND \(isWanted)
                AND \(ProjectSchemas.isOwn("pg_proc", "p")) AND \(isKept("pg_proc", "p"))
            """
        )
        statements += try project.texts(
            """
            SELECT format('REVOKE ALL ON TYPE %s FROM PUBLIC', t.oid::regtype) FROM pg_type t
            WHERE (\(isOwnType)) AND t.typacl IS NOT NULL AND \(ProjectSchemas.isOwn("pg_type", "t"))
            """
        )
        statements += try project.texts(
            """
            SELECT format('GRANT USAGE ON TYPE %s TO %s%s', t.oid::regtype, \(grantee), \(option))
            FROM pg_type t CROSS JOIN aclexplode(t.typacl) g LEFT JOIN pg_roles r ON r.oid = g.grantee
            WHERE (\(isOwnType)) AND g.grantee <> t.typowner AND \(isWanted) AND \(ProjectSchemas.isOwn("pg_type", "t"))
            """
        )
        // Tables that are made from now on have the rights that the project's tables had.
        statements += try project.texts(
            """
            SELECT format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT %s ON %s TO %s%s', n.nspname,
                string_agg(g.privilege_type, ', '),
                CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS'
                    ELSE 'TYPES' END, \(grantee), \(option))
            FROM pg_default_acl d JOIN pg_namespace n ON n.oid = d.defaclnamespace CROSS JOIN aclexplode(d.defaclacl) g
                LEFT JOIN pg_roles r ON r.oid = g.grantee
            WHERE n.oid IN \(ProjectSchemas.app) AND d.defaclobjtype IN ('r', 'S', 'f', 'T')
                AND pg_get_userbyid(d.defaclrole) IN ('postgres', current_user) AND g.grantee <> d.defaclrole
                AND g.privilege_type <> 'MAINTAIN' AND \(isWanted)
            GROUP BY n.nspname, d.defaclobjtype, d.defaclrole, g.grantee, r.rolname, g.is_grantable
            """
        )
        return statements
    }

    /// A condition: the dump has it.
    private func isKept(_ table: String, _ alias: String) -> String {
        let keys = excluded.map(ImportLedger.literal)
        guard !keys.isEmpty else { return "true" }
        let key = "'pg_catalog.\(table)'::regclass::oid || ' ' || \(alias).oid"
        return "(\(key)) NOT IN (\(keys.joined(separator: ", ")))"
    }
}
