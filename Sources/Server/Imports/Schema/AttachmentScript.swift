import SwiftletPostgres

/// What apps have attached to the platform's own tables: policies on files and channels, triggers on accounts, functions
/// in the schema `auth`.
struct AttachmentScript {
    let project: ProjectDatabase
    let roles: [String]
    /// What the dump leaves out: "1255 16402".
    var excluded: Set<String> = []
    /// Policies on the app's own tables that are not in the dump, as they are for fewer roles here.
    var reducedPolicies: Set<String> = []

    /// Functions of the app in a schema of the platform, which its policies may use.
    func functions(_ target: borrowing BlockingConnection) throws -> [String] {
        let found = try project.rows(
            """
            SELECT p.oid::regprocedure, pg_get_functiondef(p.oid) FROM pg_proc p
            WHERE p.pronamespace = 'auth'::regnamespace AND p.prokind IN ('f', 'p')
                AND p.proname NOT IN ('uid', 'role', 'email', 'jwt')
            """
        )
        return try found.filter { row in
            try target.query("SELECT to_regprocedure($1) IS NULL", [row[0]]) == [["t"]]
        }.map { $0[1] }
    }

    func policies(_ target: ImportTarget) throws -> [String] {
        let tables = try ["storage.objects", "storage.buckets", "realtime.messages"].filter { try target.has($0) }
        let known = GrantScript.known(roles)
        let places = tables.map { "to_regclass('\($0)')" }.joined(separator: ", ")
        let reduced = reducedPolicies.sorted().joined(separator: ", ")
        return try project.rows(
            """
            SELECT 'pg_catalog.pg_policy'::regclass::oid || ' ' || l.oid, l.oid,
                format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s', l.polname, l.polrelid::regclass,
                CASE WHEN l.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
                CASE l.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                    WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
                (SELECT string_agg(CASE WHEN role = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END, ', ')
                    FROM unnest(l.polroles) AS role LEFT JOIN pg_roles r ON r.oid = role
                    WHERE role = 0 OR r.rolname IN (\(known))),
                ' USING (' || pg_get_expr(l.polqual, l.polrelid) || ')',
                ' WITH CHECK (' || pg_get_expr(l.polwithcheck, l.polrelid) || ')')
            FROM pg_policy l JOIN pg_class c ON c.oid = l.polrelid
            WHERE (l.polrelid IN (\(places)) \(reduced.isEmpty ? "" : "OR l.oid IN (\(reduced)) AND c.relnamespace IN \(ProjectSchemas.app)"))
                AND EXISTS (
                    SELECT FROM unnest(l.polroles) AS role LEFT JOIN pg_roles r ON r.oid = role
                    WHERE role = 0 OR r.rolname IN (\(known))
                )
            ORDER BY l.polrelid, l.polname
            """
        ).filter { !excluded.contains($0[0]) || reducedPolicies.contains($0[1]) }.map { $0[2] }
    }

    /// On the tables of the schema, with functions of the app.
    func triggers(schema: String) throws -> [String] {
        try project.rows(
            """
            SELECT 'pg_catalog.pg_proc'::regclass::oid || ' ' || p.oid, pg_get_triggerdef(t.oid),
                CASE t.tgenabled WHEN 'O' THEN '' ELSE format('ALTER TABLE %s %s TRIGGER %I', t.tgrelid::regclass,
                    CASE t.tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE ALWAYS' END,
                    t.tgname) END
            FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                JOIN pg_proc p ON p.oid = t.tgfoid
            WHERE c.relnamespace = to_regnamespace('\(schema)') AND NOT t.tgisinternal
                AND p.pronamespace IN \(ProjectSchemas.app)
            ORDER BY t.tgname
            """
        ).filter { !excluded.contains($0[0]) }.flatMap { $0[2].isEmpty ? [$0[1]] : [$0[1], $0[2]] }
    }

    /// Tables whose changes apps are told.
    func published() throws -> [String] {
        try project.texts(
            """
            SELECT format('%I.%I', n.nspname, c.relname) FROM pg_publication_tables p
                JOIN pg_namespace n ON n.nspname = p.schemaname
                JOIN pg_class c ON c.relname = p.tablename AND c.relnamespace = n.oid
            WHERE p.pubname = 'supabase_realtime' AND n.oid IN \(ProjectSchemas.app) ORDER BY 1
            """
        )
    }
}
