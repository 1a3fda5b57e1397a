import SwiftletPostgres

/// The queries that write the plan's statements: a place in the order, and the statement. $1 are the distributed tables,
/// $2 the reference tables.
extension DistributionCatalog {
    /// Triggers run on the node that has the row; ours look at nothing else.
    static let session = """
        VALUES (1, 'SET LOCAL citus.multi_shard_modify_mode TO ''sequential'''),
            (2, 'SET LOCAL citus.enable_unsafe_triggers TO on')
        """

    static let events = """
        SELECT 1, format('ALTER EVENT TRIGGER %I DISABLE', evtname) FROM pg_event_trigger
        WHERE evtname IN ('swiftlet_ddl_watch', 'swiftlet_drop_watch') AND evtenabled <> 'D'
        """

    /// Databases of before have no searches.
    static func searches(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> String {
        let isKnown = try connection.query("SELECT to_regclass('swiftlet.searched_kinds') IS NOT NULL")
        guard isKnown.first?[0] == "t" else { return "SELECT 1, '' WHERE false" }
        return """
            SELECT row_number() OVER (ORDER BY kind), format('SELECT swiftlet.disable_search(%L)', source)
            FROM swiftlet.searched_kinds WHERE source IN (\(ids("$1")))
            """
    }

    /// The engine takes the foreign key `k` as it is: it leads to a reference table, or holds the tenant and sets nothing
    /// to null, and the key that it refers to holds the tenant already.
    private static let isLasting = """
        (k.confrelid IN (\(ids("$2"))) OR k.confdeltype NOT IN ('n', 'd') AND EXISTS (
            SELECT FROM unnest(k.conkey, k.confkey) AS pair (mine, theirs)
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = mine
            JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = theirs
            WHERE a.attname = 'tenant_id' AND b.attname = 'tenant_id'
        ))
        """

    static let foreignKeys = """
        SELECT 1, format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)
        FROM pg_constraint k
        WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid IN (\(ids("$1"))) AND NOT \(isLasting)
        """

    static let constraints = """
        SELECT dense_rank() OVER (ORDER BY k.contype, k.conrelid::regclass::text, k.conname) * 2 + part.n, part.sql
        FROM pg_constraint k CROSS JOIN LATERAL (VALUES
            (0, format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)),
            (1, format('ALTER TABLE %s ADD CONSTRAINT %I %s (tenant_id, %s)', k.conrelid::regclass, k.conname,
                CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END,
                (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY key.n)
                    FROM unnest(k.conkey) WITH ORDINALITY AS key (number, n)
                    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = key.number)))
        ) AS part (n, sql)
        WHERE k.contype IN ('p', 'u') AND k.conparentid = 0 AND k.conrelid IN (\(ids("$1"))) AND NOT EXISTS (
            SELECT FROM pg_attribute a
            WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey) AND a.attname = 'tenant_id'
        )
        """

    static let indexes = """
        SELECT dense_rank() OVER (ORDER BY i.indexrelid::regclass::text) * 2 + part.n, part.sql
        FROM pg_index i CROSS JOIN LATERAL (VALUES
            (0, format('DROP INDEX %s', i.indexrelid::regclass)),
            (1, regexp_replace(pg_get_indexdef(i.indexrelid), ' USING btree \\(', ' USING btree (tenant_id, '))
        ) AS part (n, sql)
        WHERE i.indisunique AND i.indrelid IN (\(ids("$1")))
            AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))
            AND NOT EXISTS (
                SELECT FROM pg_attribute a
                WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) AND a.attname = 'tenant_id'
            )
        """

    /// All that are distributed lie next to the first one.
    static func tables(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> String {
        let isKnown = try connection.query("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL")
        let isNew =
            isKnown.first?[0] == "t" ? "oid NOT IN (SELECT logicalrelid FROM pg_catalog.pg_dist_partition)" : "true"
        return """
            SELECT 1, format('SELECT create_reference_table(%L)', oid::regclass) FROM pg_class
            WHERE oid IN (\(ids("$2"))) AND \(isNew)
            UNION ALL
            SELECT 1 + row_number() OVER (ORDER BY relname), format(
                'SELECT create_distributed_table(%L, ''tenant_id''%s)', oid::regclass,
                CASE WHEN relname = ($1::text[])[1] THEN '' ELSE format(', colocate_with => %L', ($1::text[])[1]) END
            )
            FROM pg_class WHERE oid IN (\(ids("$1"))) AND \(isNew)
            """
    }

    /// Of two with the same columns, one is enough.
    static let newForeignKeys = """
        SELECT DISTINCT ON (relation, keys, target) 1, sql FROM (
            SELECT k.conrelid::regclass::text AS relation, k.confrelid::regclass::text AS target, keys.mine AS keys,
                format('ALTER TABLE %s ADD CONSTRAINT %I FOREIGN KEY (tenant_id, %s) REFERENCES %s (tenant_id, %s)%s',
                    k.conrelid::regclass, k.conname, keys.mine, k.confrelid::regclass, keys.theirs,
                    CASE k.confdeltype WHEN 'c' THEN ' ON DELETE CASCADE' WHEN 'r' THEN ' ON DELETE RESTRICT' ELSE '' END) AS sql
            FROM pg_constraint k CROSS JOIN LATERAL (
                SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY n) AS mine,
                    string_agg(quote_ident(b.attname), ', ' ORDER BY n) AS theirs
                FROM unnest(k.conkey, k.confkey) WITH ORDINALITY AS pair (mine, theirs, n)
                JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = pair.mine
                JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = pair.theirs
                WHERE a.attname <> 'tenant_id' AND b.attname <> 'tenant_id'
            ) AS keys
            WHERE k.contype = 'f' AND k.conparentid = 0 AND k.conrelid IN (\(ids("$1"))) AND k.confrelid IN (\(ids("$1")))
                AND keys.mine IS NOT NULL AND NOT \(isLasting)
        ) AS keys
        """
}
