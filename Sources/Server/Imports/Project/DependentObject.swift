/// An object of the app that needs another one.
struct DependentObject {
    /// As `pg_restore --list` has it: the number of the catalog and its own.
    let key: String
    /// "trigger notify on table todos".
    let text: String
    let name: String
    private let kind: String
    private let used: String
    private let isRestrictive: Bool

    init(_ row: [String]) {
        (key, text, name, kind, used) = (row[0], row[1], row[2], row[3], row[4])
        isRestrictive = row[5] == "t"
    }

    /// Whether tables are whole without it, and as closed as they were.
    var isDispensable: Bool { !isRestrictive && ["pg_trigger", "pg_policy", "pg_rewrite", "pg_proc"].contains(kind) }

    var isWebhook: Bool { kind == "pg_trigger" && used.contains("supabase_functions.http_request") }

    /// A rule is that of a view, which is left out as a whole.
    static func query(_ joins: String) -> String {
        """
        WITH own AS (
            SELECT 'pg_catalog.pg_class'::regclass AS class, c.oid, c.relname AS name FROM pg_class c
                WHERE c.relnamespace IN \(ProjectSchemas.app) AND \(ProjectSchemas.isOwn("pg_class", "c"))
            UNION ALL SELECT 'pg_catalog.pg_proc'::regclass, p.oid, p.proname FROM pg_proc p
                WHERE p.pronamespace IN \(ProjectSchemas.app) AND \(ProjectSchemas.isOwn("pg_proc", "p"))
            UNION ALL SELECT 'pg_catalog.pg_type'::regclass, t.oid, t.typname FROM pg_type t
                WHERE t.typnamespace IN \(ProjectSchemas.app) AND \(ProjectSchemas.isOwn("pg_type", "t"))
            UNION ALL SELECT 'pg_catalog.pg_constraint'::regclass, k.oid, k.conname FROM pg_constraint k
                WHERE k.connamespace IN \(ProjectSchemas.app)
            UNION ALL SELECT 'pg_catalog.pg_attrdef'::regclass, a.oid, c.relname
                FROM pg_attrdef a JOIN pg_class c ON c.oid = a.adrelid WHERE c.relnamespace IN \(ProjectSchemas.app)
            UNION ALL SELECT 'pg_catalog.pg_trigger'::regclass, t.oid, t.tgname
                FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                WHERE c.relnamespace IN \(ProjectSchemas.app) AND NOT t.tgisinternal
            UNION ALL SELECT 'pg_catalog.pg_policy'::regclass, l.oid, l.polname
                FROM pg_policy l JOIN pg_class c ON c.oid = l.polrelid
                WHERE c.relnamespace IN \(ProjectSchemas.app) OR \(GrantScript.isAttached)
            UNION ALL SELECT 'pg_catalog.pg_rewrite'::regclass, r.oid, c.relname
                FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
                WHERE c.relnamespace IN \(ProjectSchemas.app) AND \(ProjectSchemas.isOwn("pg_class", "c"))
        )
        SELECT DISTINCT
            CASE WHEN w.oid IS NULL THEN own.class::oid || ' ' || own.oid
                ELSE 'pg_catalog.pg_class'::regclass::oid || ' ' || w.ev_class END,
            CASE WHEN w.oid IS NULL THEN pg_describe_object(own.class, own.oid, d.objsubid)
                ELSE pg_describe_object('pg_catalog.pg_class'::regclass, w.ev_class, 0) END,
            own.name, (SELECT relname FROM pg_class WHERE pg_class.oid = own.class),
            pg_describe_object(d.refclassid, d.refobjid, 0),
            EXISTS (
                SELECT FROM pg_policy l
                WHERE own.class = 'pg_catalog.pg_policy'::regclass AND l.oid = own.oid AND NOT l.polpermissive
            )
        FROM own JOIN pg_depend d ON d.classid = own.class AND d.objid = own.oid AND d.deptype IN ('n', 'a')
        \(joins)
        LEFT JOIN pg_rewrite w ON own.class = 'pg_catalog.pg_rewrite'::regclass AND w.oid = own.oid
        ORDER BY 2
        """
    }
}
