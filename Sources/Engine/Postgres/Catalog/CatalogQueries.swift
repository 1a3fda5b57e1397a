import SwiftletEventLoop

/// The queries to PostgreSQL's catalog (manual, chapter 53) behind a ``Catalog``: of the schemas that are read, and the keys
/// of all others, which decide on relationships through views. A database may have a schema for each of its tenants.
///
/// They run as one batch with an empty search path, so that `format_type` and the like qualify every name that is not
/// PostgreSQL's own.
enum CatalogQueries {
    /// In the order in which ``CatalogReader`` takes their results.
    static let all = [
        opening, schemas, types, relations, columns, keys, foreignKeys, constraints, checks, views, routines,
        aggregates, ownSettings, roleSettings, shownColumns,
    ]
    .map { Statement($0, isReadOnly: true) }

    /// The queries as one call. It is isolated, because its search path would be that of others in its batch.
    static func query(_ schemas: [String], deadline: LoopInstant) -> PendingQuery {
        var first = Parameters()
        first.append(array: schemas)
        let others = all.dropFirst().map { PendingQuery.Part(statement: $0, parameters: .none) }
        return PendingQuery(all[0], first, others: others, isIsolated: true, deadline: deadline)
    }

    /// Sets what the others run under, until their transaction ends. `$1` are schemas to read; those that PostgREST's
    /// settings of the connection's role name are read as well. Gives all of them.
    private static let opening = """
        SELECT set_config('search_path', '', true), set_config('swiftlet.catalog_schemas', ARRAY(
            SELECT unnest($1::text[])
            UNION SELECT trim(name) FROM pg_db_role_setting d CROSS JOIN LATERAL unnest(d.setconfig) AS s (setting)
                CROSS JOIN LATERAL regexp_split_to_table(substr(s.setting, strpos(s.setting, '=') + 1), ',') AS name
            WHERE d.setrole = (SELECT oid FROM pg_roles WHERE rolname = session_user)
                AND split_part(s.setting, '=', 1) IN ('pgrst.db_schemas', 'pgrst.db_extra_search_path')
        )::text, true)
        """

    /// Whether the schema `n` is read.
    private static let isRead = "n.nspname = ANY (current_setting('swiftlet.catalog_schemas')::text[])"

    /// Whether the schema `n` is not PostgreSQL's own.
    private static let isOurs =
        "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'"

    /// Each type, and the one that is no domain behind it.
    private static let bases = """
        WITH RECURSIVE bases (type, base) AS (
            SELECT oid, oid FROM pg_type WHERE typtype <> 'd'
            UNION ALL SELECT t.oid, d.base FROM pg_type t JOIN bases d ON t.typbasetype = d.type WHERE t.typtype = 'd')
        """

    /// A regular expression for `text/html` and the like.
    private static let mediaType = "^[A-Za-z0-9.-]+/[A-Za-z0-9.+-]+$"

    private static let schemas = """
        SELECT n.nspname, obj_description(n.oid, 'pg_namespace') FROM pg_namespace n WHERE \(isOurs)
        """

    /// Base types, enums with their labels, domains with their base types, arrays with their element types; rows of what is
    /// read.
    private static let types = """
        SELECT t.oid, n.nspname, t.typname, t.typtype::text, t.typbasetype, t.typtypmod, t.typnotnull,
            t.typdefault IS NOT NULL, t.typcategory = 'A', CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END,
            t.typrelid <> 0 AND coalesce(c.relkind = 'c', false),
            (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid)
        FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
            LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
            LEFT JOIN pg_class c ON c.oid = coalesce(nullif(t.typrelid, 0), e.typrelid) AND c.oid <> 0
        WHERE n.nspname !~ '^pg_(toast|temp)' AND (c.oid IS NULL OR \(isRead) AND NOT c.relispartition)
        """

    private static let relations = """
        SELECT c.oid, n.nspname, c.relname, c.relkind::text, obj_description(c.oid, 'pg_class'),
            CASE WHEN \(isRead) THEN pg_relation_is_updatable(c.oid, true) ELSE 0 END, EXISTS (SELECT FROM pg_depend x
                WHERE x.classid = 'pg_class'::regclass AND x.objid = c.oid AND x.deptype = 'e')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE \(isOurs) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND NOT c.relispartition
        """

    private static let columns = """
        \(bases)
        SELECT c.oid, a.attnum, a.attname, a.atttypid, a.atttypmod, format_type(a.atttypid, a.atttypmod),
            format_type(a.atttypid, NULL),
            format_type(bases.base, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END),
            a.attnotnull, a.atthasdef OR a.attidentity <> '',
            a.attgenerated <> '' OR a.attidentity = 'a'
                OR c.relkind IN ('v', 'm') AND NOT pg_column_is_updatable(c.oid, a.attnum, true),
            EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND a.attnum = ANY (i.indkey::int2[])),
            CASE WHEN a.attidentity <> '' THEN 'identity' WHEN a.attgenerated <> '' THEN NULL
                ELSE coalesce(pg_get_expr(d.adbin, d.adrelid), t.typdefault) END,
            \(cast("k.castsource = t.oid AND k.casttarget = 'json'::regtype")),
            \(cast("k.casttarget = t.oid AND k.castsource = 'json'::regtype")),
            \(cast("k.casttarget = t.oid AND k.castsource = 'text'::regtype")),
            col_description(c.oid, a.attnum)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_type t ON t.oid = a.atttypid JOIN bases ON bases.type = t.oid
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE \(isRead) AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND NOT c.relispartition
            AND a.attnum > 0 AND NOT a.attisdropped
        ORDER BY c.oid, a.attnum
        """

    /// The function of a domain's implicit cast.
    private static func cast(_ condition: String) -> String {
        """
        CASE WHEN t.typtype = 'd' THEN (SELECT k.castfunc::regproc::text FROM pg_cast k WHERE \(condition)
                AND k.castcontext = 'i' AND k.castmethod = 'f') END
        """
    }

    /// Unique indexes over plain columns, the primary key among them.
    private static let keys = """
        SELECT i.indrelid, i.indisprimary,
            (SELECT array_agg(a.attname::text ORDER BY k.place)
             FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number WHERE k.place <= i.indnkeyatts)
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE \(isOurs) AND i.indisunique AND i.indisvalid AND i.indexprs IS NULL AND i.indpred IS NULL
        ORDER BY i.indexrelid
        """

    /// Without the copies that a partitioned table's constraints have for its partitions.
    private static let foreignKeys = """
        SELECT r.conrelid, r.conname,
            (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(r.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = k.number),
            fn.nspname, fc.relname,
            (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(r.confkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.confrelid AND a.attnum = k.number)
        FROM pg_constraint r JOIN pg_class fc ON fc.oid = r.confrelid JOIN pg_namespace fn ON fn.oid = fc.relnamespace
        WHERE r.contype = 'f' AND r.conparentid = 0
        ORDER BY r.conname COLLATE "C"
        """

    /// The columns of each constraint, and of each unique index that is none: those that its expressions read.
    private static let constraints = """
        SELECT r.conrelid, r.conname,
            (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(r.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = k.number)
        FROM pg_constraint r JOIN pg_class c ON c.oid = r.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE \(isRead) AND cardinality(r.conkey) > 0
        UNION ALL
        SELECT i.indrelid, x.relname,
            (SELECT array_agg(DISTINCT a.attname::text) FROM pg_depend d
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
             WHERE d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid AND d.refobjid = i.indrelid
                AND d.refobjsubid > 0)
        FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class c ON c.oid = i.indrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE \(isRead) AND i.indisunique AND NOT EXISTS (SELECT FROM pg_constraint r WHERE r.conindid = i.indexrelid)
        """

    /// Constraints of a single column.
    private static let checks = """
        SELECT r.conrelid, a.attname, pg_get_constraintdef(r.oid)
        FROM pg_constraint r JOIN pg_class c ON c.oid = r.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = r.conkey[1]
        WHERE \(isRead) AND r.contype = 'c' AND r.convalidated AND cardinality(r.conkey) = 1
        ORDER BY r.conname COLLATE "C"
        """

    /// The parsed queries of views.
    private static let views = """
        SELECT r.ev_class, r.ev_action::text
        FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE \(isRead) AND r.rulename = '_RETURN' AND c.relkind IN ('v', 'm')
        """

    /// The platform's functions in `public`, which policies and migrations call.
    private static let own = """
        'swiftlet_claims', 'swiftlet_create_devices', 'swiftlet_grant', 'swiftlet_is_adopted', 'swiftlet_protect',
        'swiftlet_role_level', 'swiftlet_tenant_id', 'swiftlet_user_id'
        """

    /// Those of triggers are nobody's to call, and ours are no part of the app's API.
    private static let routines = """
        \(bases)
        SELECT p.oid, n.nspname, p.proname, p.provolatile::text, p.proretset, p.prorows = 1, p.pronargdefaults,
            p.provariadic <> 0, p.proargnames, p.proargmodes::text[],
            coalesce(p.proallargtypes::text[], string_to_array(p.proargtypes::text, ' ')),
            (SELECT array_agg(format_type(u.type, NULL) ORDER BY u.place)
             FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS u (type, place)),
            (SELECT array_agg(format_type(u.type, -1) ORDER BY u.place)
             FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS u (type, place)),
            CASE WHEN t.typname = 'void' THEN 'void'
                WHEN b.typtype = 'c' OR coalesce(p.proargmodes && '{o,b,t}', false) THEN 'rows' ELSE 'scalar' END,
            p.prorettype, format_type(p.prorettype, NULL), tn.nspname, tc.relname, an.nspname, ac.relname,
            CASE WHEN t.typtype = 'd' AND NOT p.proretset AND (t.typname ~ '\(mediaType)' OR t.typname = '*/*')
                THEN t.typname::text END,
            b.typname = 'bytea', obj_description(p.oid, 'pg_proc'),
            (SELECT array_agg(s.setting) FROM unnest(p.proconfig) AS s (setting)
                WHERE split_part(s.setting, '=', 1) IN ('default_transaction_isolation', 'statement_timeout')),
            EXISTS (SELECT FROM pg_depend x WHERE x.classid = 'pg_proc'::regclass AND x.objid = p.oid AND x.deptype = 'e')
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_type t ON t.oid = p.prorettype
            JOIN bases ON bases.type = t.oid JOIN pg_type b ON b.oid = bases.base
            LEFT JOIN pg_class tc ON tc.oid = b.typrelid AND tc.relkind IN ('r', 'p', 'v', 'm', 'f')
            LEFT JOIN pg_namespace tn ON tn.oid = tc.relnamespace
            LEFT JOIN pg_type at ON p.pronargs = 1 AND at.oid = p.proargtypes[0]
            LEFT JOIN pg_class ac ON ac.oid = at.typrelid AND ac.relkind IN ('r', 'p', 'v', 'm', 'f')
            LEFT JOIN pg_namespace an ON an.oid = ac.relnamespace
        WHERE \(isRead) AND p.prokind = 'f' AND t.typname NOT IN ('trigger', 'event_trigger')
            AND NOT (n.nspname = 'public' AND p.proname IN (\(own)))
        ORDER BY n.nspname, p.proname COLLATE "C", p.oid
        """

    /// Those whose result is a domain that is named like a media type, over rows of a relation or of any.
    private static let aggregates = """
        \(bases)
        SELECT n.nspname, p.proname, an.nspname, a.typname, t.typname, b.typname = 'bytea'
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_type t ON t.oid = p.prorettype
            JOIN bases ON bases.type = t.oid JOIN pg_type b ON b.oid = bases.base
            JOIN pg_type a ON a.oid = p.proargtypes[0] JOIN pg_namespace an ON an.oid = a.typnamespace
        WHERE \(isRead) AND p.prokind = 'a' AND p.pronargs = 1 AND t.typtype = 'd'
            AND (t.typname ~ '\(mediaType)' OR t.typname = '*/*') AND (a.typtype = 'c' OR a.typname = 'anyelement')
        ORDER BY n.nspname, p.proname
        """

    /// PostgREST's settings of the connection's role; those for this database alone come last.
    private static let ownSettings = """
        SELECT substr(split_part(s.setting, '=', 1), 7), substr(s.setting, strpos(s.setting, '=') + 1)
        FROM pg_db_role_setting d CROSS JOIN LATERAL unnest(d.setconfig) AS s (setting)
        WHERE d.setrole = (SELECT oid FROM pg_roles WHERE rolname = session_user) AND s.setting LIKE 'pgrst.%'
            AND d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        ORDER BY d.setdatabase
        """

    /// Settings that anybody may change for themselves.
    private static let roleSettings = """
        SELECT r.rolname, split_part(s.setting, '=', 1), substr(s.setting, strpos(s.setting, '=') + 1)
        FROM pg_db_role_setting d JOIN pg_roles r ON r.oid = d.setrole
            CROSS JOIN LATERAL unnest(d.setconfig) AS s (setting)
            JOIN pg_settings p ON p.name = lower(split_part(s.setting, '=', 1)) AND p.context = 'user'
        WHERE d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
            AND NOT r.rolcanlogin
        ORDER BY r.rolname, d.setdatabase
        """

    /// The names of columns of other schemas that views show.
    private static let shownColumns = """
        SELECT a.attrelid, a.attnum, a.attname FROM pg_attribute a WHERE a.attnum > 0 AND NOT a.attisdropped
            AND a.attrelid IN (
                SELECT d.refobjid FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
                    JOIN pg_namespace n ON n.oid = c.relnamespace
                    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
                        AND d.refclassid = 'pg_class'::regclass
                WHERE \(isRead) AND c.relkind IN ('v', 'm'))
        """
}
