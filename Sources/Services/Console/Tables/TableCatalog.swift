import SwiftletJSON
import SwiftletPostgres

/// The tables of the database as the catalog describes them, read anew each time: it takes a millisecond.
enum TableCatalog {
    /// Every table and view of everybody but PostgreSQL.
    static let list: SQL = """
        SELECT coalesce(json_agg(t ORDER BY t.schema, t.name), '[]') FROM (
            SELECT n.nspname AS schema, c.relname AS name,
                CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' WHEN 'f' THEN 'foreign' ELSE 'table' END AS kind,
                greatest(c.reltuples, 0)::bigint AS estimate, c.relrowsecurity AS rls,
                (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid) AS policies,
                CASE WHEN c.relkind IN ('r', 'm') THEN pg_total_relation_size(c.oid) ELSE 0 END AS bytes,
                obj_description(c.oid, 'pg_class') AS comment
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
                AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
                AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
        ) t
        """

    /// What the grid, the form and the tester need to know of one table.
    static func description(_ schema: String, _ name: String) -> SQL {
        """
        SELECT json_build_object(
            'schema', n.nspname, 'name', c.relname, 'rls', c.relrowsecurity, 'forced', c.relforcerowsecurity,
            'isTable', c.relkind IN ('r', 'p'), 'comment', obj_description(c.oid, 'pg_class'),
            'estimate', greatest(c.reltuples, 0)::bigint,
            'columns', (SELECT coalesce(json_agg(json_build_object(
                'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'notNull', a.attnotnull,
                'default', pg_get_expr(d.adbin, d.adrelid), 'generated', a.attgenerated <> '' OR a.attidentity = 'a',
                'comment', col_description(c.oid, a.attnum),
                'enum', (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = a.atttypid),
                'key', (SELECT array_position(i.indkey::int2[], a.attnum) + 1 FROM pg_index i
                    WHERE i.indrelid = c.oid AND i.indisprimary)
                ) ORDER BY a.attnum), '[]')
                FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
            'references', (SELECT coalesce(json_agg(json_build_object('constraint', k.conname,
                'columns', (SELECT json_agg(a.attname ORDER BY u.n) FROM unnest(k.conkey) WITH ORDINALITY u (num, n)
                    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num),
                'schema', fn.nspname, 'table', fc.relname,
                'targets', (SELECT json_agg(a.attname ORDER BY u.n) FROM unnest(k.confkey) WITH ORDINALITY u (num, n)
                    JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.num))), '[]')
                FROM pg_constraint k JOIN pg_class fc ON fc.oid = k.confrelid JOIN pg_namespace fn ON fn.oid = fc.relnamespace
                WHERE k.conrelid = c.oid AND k.contype = 'f'),
            'referredBy', (SELECT coalesce(json_agg(json_build_object('constraint', k.conname,
                'schema', fn.nspname, 'table', fc.relname,
                'columns', (SELECT json_agg(a.attname ORDER BY u.n) FROM unnest(k.conkey) WITH ORDINALITY u (num, n)
                    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num),
                'targets', (SELECT json_agg(a.attname ORDER BY u.n) FROM unnest(k.confkey) WITH ORDINALITY u (num, n)
                    JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.num))), '[]')
                FROM pg_constraint k JOIN pg_class fc ON fc.oid = k.conrelid JOIN pg_namespace fn ON fn.oid = fc.relnamespace
                WHERE k.confrelid = c.oid AND k.contype = 'f'),
            'indexes', (SELECT coalesce(json_agg(pg_get_indexdef(i.indexrelid) ORDER BY i.indexrelid), '[]')
                FROM pg_index i WHERE i.indrelid = c.oid),
            'policies', (SELECT coalesce(json_agg(json_build_object('name', p.polname, 'permissive', p.polpermissive,
                'command', CASE p.polcmd WHEN 'r' THEN 'select' WHEN 'a' THEN 'insert' WHEN 'w' THEN 'update'
                    WHEN 'd' THEN 'delete' ELSE 'all' END,
                'roles', (SELECT coalesce(json_agg(CASE r WHEN 0 THEN 'public' ELSE pg_get_userbyid(r) END), '[]')
                    FROM unnest(p.polroles) r),
                'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
                ORDER BY p.polname), '[]') FROM pg_policy p WHERE p.polrelid = c.oid),
            'grants', (SELECT coalesce(json_agg(g), '[]') FROM (
                SELECT r.rolname AS role, json_build_object(
                    'select', has_any_column_privilege(r.oid, c.oid, 'SELECT'),
                    'insert', has_any_column_privilege(r.oid, c.oid, 'INSERT'),
                    'update', has_any_column_privilege(r.oid, c.oid, 'UPDATE'),
                    'delete', has_table_privilege(r.oid, c.oid, 'DELETE')) AS may
                FROM pg_roles r WHERE r.rolname IN ('anon', 'authenticated', 'service_role') ORDER BY r.rolname) g),
            'triggers', (SELECT coalesce(json_agg(t.tgname ORDER BY t.tgname), '[]') FROM pg_trigger t
                WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)
        )
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = \(schema) AND c.relname = \(name) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        """
    }

    /// Tables, columns and keys for the picture.
    static let picture: SQL = """
        SELECT coalesce(json_agg(json_build_object('schema', n.nspname, 'name', c.relname,
            'columns', (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                'key', EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary
                    AND a.attnum = ANY (i.indkey::int2[]))) ORDER BY a.attnum)
                FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
            'references', (SELECT coalesce(json_agg(json_build_object('schema', fn.nspname, 'table', fc.relname,
                'column', (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = k.conkey[1]))), '[]')
                FROM pg_constraint k JOIN pg_class fc ON fc.oid = k.confrelid
                JOIN pg_namespace fn ON fn.oid = fc.relnamespace WHERE k.conrelid = c.oid AND k.contype = 'f')
            ) ORDER BY n.nspname, c.relname), '[]')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
        """
}
