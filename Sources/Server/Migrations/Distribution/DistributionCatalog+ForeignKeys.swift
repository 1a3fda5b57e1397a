import SwiftletPostgres

/// Foreign keys of distributed tables: which are made anew, and what of them is not. $1 are the distributed tables, $2 the
/// reference tables.
extension DistributionCatalog {
    static let droppedForeignKeys = """
        SELECT 1, format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)
        FROM \(changing)
        """

    /// Of two that say the same, one is enough.
    static let newForeignKeys = """
        SELECT DISTINCT ON (k.conrelid, k.confrelid, head, tail) 1,
            format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', k.conrelid::regclass, k.conname, head, tail)
        FROM \(changing) CROSS JOIN LATERAL (
            VALUES (
                format('FOREIGN KEY (%s%s) REFERENCES %s (%s%s)', tenant, mine, k.confrelid::regclass, tenant, theirs),
                concat(
                    CASE k.confupdtype WHEN 'r' THEN ' ON UPDATE RESTRICT' END,
                    CASE k.confdeltype WHEN 'c' THEN ' ON DELETE CASCADE' WHEN 'r' THEN ' ON DELETE RESTRICT' END,
                    CASE WHEN k.condeferrable THEN ' DEFERRABLE' END,
                    CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' END,
                    CASE WHEN NOT k.convalidated THEN ' NOT VALID' END
                )
            )
        ) AS key (head, tail)
        WHERE loss IS NULL
        ORDER BY k.conrelid, k.confrelid, head, tail, k.conname
        """

    /// Sentences on what the keys have now and will not have.
    func changes(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [String] {
        try connection.query(
            """
            SELECT format('the foreign key %I of %s %s', k.conname, k.conrelid::regclass, sentence)
            FROM \(Self.changing) CROSS JOIN LATERAL (
                VALUES (1, loss),
                    (2, CASE WHEN k.confdeltype IN ('n', 'd') THEN format(
                        'loses ON DELETE SET %s, which no key with the tenant can have: a row that is referred to is not deleted',
                        CASE k.confdeltype WHEN 'n' THEN 'NULL' ELSE 'DEFAULT' END) END),
                    (3, CASE WHEN k.confupdtype IN ('c', 'n', 'd') THEN format(
                        'loses ON UPDATE %s, which no key with the tenant can have: a key that is referred to is not changed',
                        CASE k.confupdtype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'SET DEFAULT' END) END),
                    (4, CASE WHEN k.confmatchtype = 'f' THEN concat(
                        'loses MATCH FULL, as the tenant is never null',
                        CASE WHEN mine LIKE '%, %' THEN ': rows with nulls in some of the other columns are not checked' END) END)
            ) AS change (place, sentence)
            WHERE sentence IS NOT NULL AND (loss IS NULL OR place = 1)
            ORDER BY k.conrelid::regclass::text, k.conname, place
            """,
            [ArrayLiteral.text(distributed), ArrayLiteral.text(references)]
        ).compactMap { $0[0] }
    }

    /// The keys `k` that the engine does not take as they are, with the columns of both sides, the tenant first; `tenant`
    /// is what is put before them, and `loss` says why there is no key to be had instead.
    ///
    /// It takes those that lead to a reference table, or from tenant to tenant. With the tenant in it, a key sets nothing
    /// and changes nothing in the rows that refer.
    private static let changing = """
        pg_constraint k CROSS JOIN LATERAL (
            SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname <> 'tenant_id', n) AS mine,
                string_agg(quote_ident(b.attname), ', ' ORDER BY a.attname <> 'tenant_id', n) AS theirs,
                bool_or(a.attname = 'tenant_id') AS has_tenant,
                bool_or(a.attname = 'tenant_id' AND b.attname = 'tenant_id') AS is_bound,
                bool_or((a.attname = 'tenant_id') <> (b.attname = 'tenant_id')) AS is_crossed
            FROM unnest(k.conkey, k.confkey) WITH ORDINALITY AS pair (mine, theirs, n)
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = pair.mine
            JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = pair.theirs
        ) AS columns CROSS JOIN LATERAL (
            SELECT k.confrelid IN (\(ids("$2"))) AS is_everywhere, k.confrelid IN (\(ids("$1"))) AS is_distributed,
                k.confdeltype IN ('n', 'd') OR k.confupdtype IN ('c', 'n', 'd') AS sets
        ) AS target CROSS JOIN LATERAL (
            SELECT CASE WHEN is_everywhere OR is_bound THEN '' ELSE 'tenant_id, ' END AS tenant,
                CASE WHEN is_everywhere THEN NULL
                    WHEN NOT is_distributed THEN format('is dropped, as %s stays on the coordinator', k.confrelid::regclass)
                    WHEN is_crossed THEN format(
                        'is dropped, as it compares the tenant with another column of %s', k.confrelid::regclass)
                END AS loss
        ) AS replacement
        JOIN pg_class c ON c.oid = k.conrelid
            AND k.contype = 'f' AND k.conparentid = 0 AND k.conrelid IN (\(ids("$1")))
            AND NOT (is_everywhere AND NOT (has_tenant AND sets) OR is_distributed AND is_bound AND NOT sets)
        """
}
