/// The queries to PostgreSQL's catalog (manual, chapter 53) behind a ``SchemaDescription``. `$1` is the schema; lists
/// come as JSON.
enum DescriptionQueries {
    static let schema = "SELECT 1 FROM pg_namespace WHERE nspname = $1"

    static let types = """
        SELECT t.oid, t.typname, n.nspname, t.typtype,
            CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE 0 END,
            CASE WHEN t.typcategory = 'A' AND t.typlen = -1 THEN t.typelem ELSE 0 END,
            coalesce(c.relkind, ' '), n.nspname = $1,
            (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid)
        FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid
        WHERE t.typtype IN ('b', 'd', 'e', 'r', 'm', 'c', 'p')
        ORDER BY n.nspname <> $1, t.typname COLLATE "C"
        """

    static let columns = """
        SELECT c.relname, c.relkind, obj_description(c.oid, 'pg_class'), pg_relation_is_updatable(c.oid, true),
            a.attname, a.atttypid, a.attnotnull OR t.typtype = 'd' AND t.typnotnull,
            d.oid IS NOT NULL OR a.attidentity <> '' OR t.typdefault IS NOT NULL,
            a.attgenerated <> '' OR a.attidentity = 'a', col_description(c.oid, a.attnum)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN pg_type t ON t.oid = a.atttypid
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND NOT c.relispartition
            AND NOT EXISTS (SELECT FROM pg_depend x WHERE x.classid = 'pg_class'::regclass AND x.objid = c.oid
                AND x.deptype = 'e')
        ORDER BY c.relname COLLATE "C", a.attnum
        """

    /// Unique indexes over plain columns, the primary key among them.
    static let keys = """
        SELECT c.relname, i.indisprimary,
            (SELECT json_agg(a.attname ORDER BY k.place)
             FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number WHERE k.place <= i.indnkeyatts)
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND i.indisunique AND i.indisvalid AND i.indexprs IS NULL AND i.indpred IS NULL
        """

    /// Those to other schemas lead to nothing that is described, even where a table here has the name of one there.
    static let foreignKeys = """
        SELECT c.relname, r.conname,
            (SELECT json_agg(a.attname ORDER BY k.place) FROM unnest(r.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = k.number),
            fc.relname,
            (SELECT json_agg(a.attname ORDER BY k.place) FROM unnest(r.confkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.confrelid AND a.attnum = k.number)
        FROM pg_constraint r JOIN pg_class c ON c.oid = r.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_class fc ON fc.oid = r.confrelid AND fc.relnamespace = n.oid
        WHERE r.contype = 'f' AND r.conparentid = 0 AND n.nspname = $1
        ORDER BY c.relname COLLATE "C", r.conname COLLATE "C"
        """

    /// Constraints of a single column.
    static let checks = """
        SELECT c.relname, a.attname, pg_get_constraintdef(r.oid)
        FROM pg_constraint r JOIN pg_class c ON c.oid = r.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = r.conkey[1]
        WHERE r.contype = 'c' AND r.convalidated AND cardinality(r.conkey) = 1 AND n.nspname = $1
        ORDER BY c.relname COLLATE "C", r.conname COLLATE "C"
        """

    /// Those of extensions and triggers are nobody's to call.
    static let routines = """
        SELECT p.proname, p.pronargdefaults, p.proretset, p.prorettype, tc.relname,
            to_json(coalesce(p.proargnames, '{}')), to_json(coalesce(p.proargmodes::text[], '{}')),
            to_json(coalesce(p.proallargtypes::text[], string_to_array(p.proargtypes::text, ' '))),
            CASE WHEN p.pronargs = 1 THEN ac.relname END, p.prorows = 1
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_type t ON t.oid = p.prorettype
            LEFT JOIN pg_class tc ON tc.oid = t.typrelid AND tc.relkind IN ('r', 'p', 'v', 'm', 'f')
                AND tc.relnamespace = n.oid
            LEFT JOIN pg_type at ON at.oid = p.proargtypes[0]
            LEFT JOIN pg_class ac ON ac.oid = at.typrelid AND ac.relkind IN ('r', 'p', 'v', 'm', 'f')
                AND ac.relnamespace = n.oid
        WHERE n.nspname = $1 AND p.prokind = 'f' AND t.typname NOT IN ('trigger', 'event_trigger')
            AND NOT EXISTS (SELECT FROM pg_depend x WHERE x.classid = 'pg_proc'::regclass AND x.objid = p.oid
                AND x.deptype = 'e')
        ORDER BY p.proname COLLATE "C", pg_get_function_identity_arguments(p.oid) COLLATE "C"
        """
}
