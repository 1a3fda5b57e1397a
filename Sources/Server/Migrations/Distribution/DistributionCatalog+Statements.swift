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

    /// The first parenthesis of a definition is that of the columns; all that stands around it is kept.
    static let constraints = """
        SELECT dense_rank() OVER (ORDER BY k.contype, k.conrelid::regclass::text, k.conname) * 4 + part.n, part.sql
        FROM pg_constraint k JOIN pg_index i ON i.indexrelid = k.conindid JOIN pg_class c ON c.oid = k.conindid
        CROSS JOIN LATERAL (VALUES
            (0, format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)),
            (1, format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname,
                regexp_replace(pg_get_constraintdef(k.oid), '\\(', '(tenant_id, '))),
            (2, format('ALTER INDEX %s SET (%s)', k.conindid::regclass, array_to_string(c.reloptions, ', '))),
            (3, \(replicaIdentity))
        ) AS part (n, sql)
        WHERE k.contype IN ('p', 'u') AND k.conparentid = 0 AND k.conrelid IN (\(ids("$1"))) AND NOT EXISTS (
            SELECT FROM pg_attribute a
            WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey) AND a.attname = 'tenant_id'
        ) AND (part.n <> 2 OR c.reloptions IS NOT NULL)
        """

    static let indexes = """
        SELECT dense_rank() OVER (ORDER BY i.indexrelid::regclass::text) * 3 + part.n, part.sql
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid CROSS JOIN LATERAL (VALUES
            (0, format('DROP INDEX %s', i.indexrelid::regclass)),
            (1, regexp_replace(pg_get_indexdef(i.indexrelid), ' USING btree \\(', ' USING btree (tenant_id, ')),
            (2, \(replicaIdentity))
        ) AS part (n, sql)
        WHERE i.indisunique AND i.indrelid IN (\(ids("$1")))
            AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))
            AND NOT EXISTS (
                SELECT FROM pg_attribute a
                WHERE a.attrelid = i.indrelid AND a.attname = 'tenant_id'
                    AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
            )
        """

    /// A table whose old rows are known by the index `i`, of the name `c.relname`, would lose that with the index.
    private static let replicaIdentity = """
        CASE WHEN i.indisreplident
            THEN format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', i.indrelid::regclass, c.relname) END
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
                CASE WHEN relname = ($1::text[])[1] THEN ''
                    ELSE format(', colocate_with => %L', quote_ident(($1::text[])[1])) END
            )
            FROM pg_class WHERE oid IN (\(ids("$1"))) AND \(isNew)
            """
    }
}
