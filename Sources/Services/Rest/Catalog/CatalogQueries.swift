import SwiftletPostgres

/// The queries to PostgreSQL's catalog (manual, chapter 53) behind a ``Catalog``.
///
/// They run with an empty search path, so that `format_type` qualifies every type that is not PostgreSQL's own.
enum CatalogQueries {
    static let emptyPath: SQL = "SELECT set_config('search_path', '', true)"

    /// Each type, and the one that is no domain behind it.
    private static let bases: SQL = """
        WITH RECURSIVE bases (type, base) AS (
            SELECT oid, oid FROM pg_type WHERE typtype <> 'd'
            UNION ALL SELECT t.oid, d.base FROM pg_type t JOIN bases d ON t.typbasetype = d.type WHERE t.typtype = 'd')
        """

    /// A regular expression for `text/html` and the like.
    private static let mediaType: SQL = "^[A-Za-z0-9.-]+/[A-Za-z0-9.+-]+$"

    /// A row for each column, and one for a relation without any.
    static func columns(_ schemas: [String]) -> SQL {
        """
        \(bases)
        SELECT n.nspname::text AS schema, c.relname::text AS relation, c.relkind IN ('v', 'm') AS is_view,
            obj_description(c.oid, 'pg_class') AS relation_comment, pg_relation_is_updatable(c.oid, true) AS changes,
            a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS type,
            format_type(b.oid, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS base_type,
            format_type(a.atttypid, NULL) AS format,
            CASE WHEN b.typtype = 'c' THEN 'composite' WHEN b.typcategory = 'A' THEN 'array'
                WHEN b.typname IN ('json', 'jsonb') THEN 'json' WHEN b.typname = 'tsvector' THEN 'textSearch'
                ELSE 'plain' END AS kind,
            NOT (a.attnotnull OR t.typnotnull) AS is_nullable,
            CASE WHEN a.attidentity <> '' THEN 'identity' WHEN a.attgenerated <> '' THEN NULL
                ELSE coalesce(pg_get_expr(d.adbin, d.adrelid), t.typdefault) END AS default_text,
            CASE WHEN b.typname IN ('varchar', 'bpchar') AND a.atttypmod > 4 THEN a.atttypmod - 4 END AS maximum_length,
            CASE WHEN t.typtype = 'd' THEN (SELECT k.castfunc::regproc::text FROM pg_cast k WHERE k.castsource = t.oid
                AND k.casttarget = 'json'::regtype AND k.castcontext = 'i' AND k.castmethod = 'f') END AS to_json,
            CASE WHEN t.typtype = 'd' THEN (SELECT k.castfunc::regproc::text FROM pg_cast k WHERE k.casttarget = t.oid
                AND k.castsource = 'json'::regtype AND k.castcontext = 'i' AND k.castmethod = 'f') END AS from_json,
            CASE WHEN t.typtype = 'd' THEN (SELECT k.castfunc::regproc::text FROM pg_cast k WHERE k.casttarget = t.oid
                AND k.castsource = 'text'::regtype AND k.castcontext = 'i' AND k.castmethod = 'f') END AS from_text,
            (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = b.oid)
                AS labels,
            col_description(c.oid, a.attnum) AS comment
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN pg_type t ON t.oid = a.atttypid
            LEFT JOIN bases ON bases.type = t.oid LEFT JOIN pg_type b ON b.oid = bases.base
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE n.nspname = ANY (\(schemas)::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
        ORDER BY n.nspname, c.relname, a.attnum
        """
    }

    /// Primary and unique keys, in every schema: what they hold decides on relationships.
    static let keys: SQL = """
        SELECT n.nspname::text AS schema, c.relname::text AS relation, i.indisprimary AS is_primary,
            (SELECT array_agg(a.attname::text ORDER BY k.place)
             FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number WHERE k.place <= i.indnkeyatts) AS columns
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE i.indisunique AND i.indisvalid AND i.indexprs IS NULL AND i.indpred IS NULL
            AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
        """

    static let foreignKeys: SQL = """
        SELECT n.nspname::text AS schema, c.relname::text AS relation, r.conname::text AS constraint,
            (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(r.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = k.number) AS columns,
            fn.nspname::text AS foreign_schema, fc.relname::text AS foreign_relation,
            (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(r.confkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.confrelid AND a.attnum = k.number) AS foreign_columns
        FROM pg_constraint r
            JOIN pg_class c ON c.oid = r.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_class fc ON fc.oid = r.confrelid JOIN pg_namespace fn ON fn.oid = fc.relnamespace
        WHERE r.contype = 'f' AND r.conparentid = 0
        ORDER BY n.nspname, c.relname, r.conname
        """

    /// The parsed queries of views, and the names of what their numbers mean.
    static func views(_ schemas: [String]) -> SQL {
        """
        SELECT n.nspname::text AS schema, c.relname::text AS relation, r.ev_action::text AS query
        FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE r.rulename = '_RETURN' AND c.relkind IN ('v', 'm') AND n.nspname = ANY (\(schemas)::text[])
        """
    }

    static let columnNumbers: SQL = """
        SELECT c.oid::text AS oid, n.nspname::text AS schema, c.relname::text AS relation,
            array_agg(a.attname::text ORDER BY a.attnum) AS names, array_agg(a.attnum::int ORDER BY a.attnum) AS numbers
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
            AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
        GROUP BY c.oid, n.nspname, c.relname
        """

    static func routines(_ schemas: [String]) -> SQL {
        """
        \(bases)
        SELECT p.oid::text AS identifier, n.nspname::text AS schema, p.proname::text AS name, p.provolatile::text AS volatility,
            p.proretset AS returns_set, p.prorows = 1 AS returns_one_row, p.pronargdefaults::int AS defaults,
            p.provariadic <> 0 AS is_variadic, coalesce(p.proargnames, '{}') AS names,
            coalesce(p.proargmodes::text[], '{}') AS modes,
            coalesce((SELECT array_agg(format_type(u.type, NULL) ORDER BY u.place)
             FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS u (type, place)), '{}') AS types,
            coalesce((SELECT array_agg(format_type(u.type, -1) ORDER BY u.place)
             FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS u (type, place)), '{}') AS bound_types,
            CASE WHEN t.typname = 'void' THEN 'void'
                WHEN b.typtype = 'c' OR coalesce(p.proargmodes && '{o,b,t}', false) THEN 'rows' ELSE 'scalar' END AS result,
            CASE WHEN t.typtype = 'd' AND NOT p.proretset AND (t.typname ~ '\(mediaType)' OR t.typname = '*/*')
                THEN t.typname::text END AS media_type, b.typname = 'bytea' AS is_bytes,
            format_type(p.prorettype, NULL) AS type, tn.nspname::text AS result_schema, tc.relname::text AS result_relation,
            an.nspname::text AS argument_schema, ac.relname::text AS argument_relation,
            obj_description(p.oid, 'pg_proc') AS comment,
            coalesce((SELECT array_agg(s.setting) FROM unnest(p.proconfig) AS s (setting)
                WHERE split_part(s.setting, '=', 1) IN ('default_transaction_isolation', 'statement_timeout')), '{}') AS settings
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_type t ON t.oid = p.prorettype
            JOIN bases ON bases.type = t.oid JOIN pg_type b ON b.oid = bases.base
            LEFT JOIN pg_class tc ON tc.oid = b.typrelid AND tc.relkind IN ('r', 'p', 'v', 'm', 'f')
            LEFT JOIN pg_namespace tn ON tn.oid = tc.relnamespace
            LEFT JOIN pg_type at ON p.pronargs = 1 AND at.oid = p.proargtypes[0]
            LEFT JOIN pg_class ac ON ac.oid = at.typrelid AND ac.relkind IN ('r', 'p', 'v', 'm', 'f')
            LEFT JOIN pg_namespace an ON an.oid = ac.relnamespace
        WHERE n.nspname = ANY (\(schemas)::text[]) AND p.prokind = 'f'
            AND t.typname NOT IN ('trigger', 'event_trigger')
        ORDER BY n.nspname, p.proname, p.oid
        """
    }

    /// Aggregates whose result is a domain that is named like a media type, over rows of a relation or of any.
    static func mediaHandlers(_ schemas: [String]) -> SQL {
        """
        \(bases)
        SELECT n.nspname::text AS schema, p.proname::text AS name, an.nspname::text AS argument_schema,
            a.typname::text AS argument, t.typname::text AS media_type, b.typname = 'bytea' AS is_bytes
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_type t ON t.oid = p.prorettype
            JOIN bases ON bases.type = t.oid JOIN pg_type b ON b.oid = bases.base
            JOIN pg_type a ON a.oid = p.proargtypes[0] JOIN pg_namespace an ON an.oid = a.typnamespace
        WHERE n.nspname = ANY (\(schemas)::text[]) AND p.prokind = 'a' AND p.pronargs = 1 AND t.typtype = 'd'
            AND (t.typname ~ '\(mediaType)' OR t.typname = '*/*') AND (a.typtype = 'c' OR a.typname = 'anyelement')
        ORDER BY n.nspname, p.proname
        """
    }

    static func comments(_ schemas: [String]) -> SQL {
        """
        SELECT nspname::text AS schema, obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace
        WHERE nspname = ANY (\(schemas)::text[])
        """
    }

    /// PostgREST's settings of the connection's role; those for this database alone come last.
    static let ownSettings: SQL = """
        SELECT substr(split_part(s.setting, '=', 1), 7) AS name, substr(s.setting, strpos(s.setting, '=') + 1) AS value
        FROM pg_db_role_setting d CROSS JOIN LATERAL unnest(d.setconfig) AS s (setting)
        WHERE d.setrole = (SELECT oid FROM pg_roles WHERE rolname = session_user) AND s.setting LIKE 'pgrst.%'
            AND d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        ORDER BY d.setdatabase
        """

    /// Settings that anybody may change for themselves.
    static let roleSettings: SQL = """
        SELECT r.rolname::text AS role, split_part(s.setting, '=', 1) AS name,
            substr(s.setting, strpos(s.setting, '=') + 1) AS value
        FROM pg_db_role_setting d JOIN pg_roles r ON r.oid = d.setrole
            CROSS JOIN LATERAL unnest(d.setconfig) AS s (setting)
            JOIN pg_settings p ON p.name = lower(split_part(s.setting, '=', 1)) AND p.context = 'user'
        WHERE d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
            AND NOT r.rolcanlogin
        ORDER BY r.rolname, d.setdatabase
        """
}
