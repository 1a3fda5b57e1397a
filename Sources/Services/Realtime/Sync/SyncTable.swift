import SwiftletPostgres

/// A table that apps keep copies of, as it is in one snapshot.
struct SyncTable: Sendable {
    /// As the client calls it.
    let name: String
    let facts: TableFacts
    /// The OIDs of the tables that decide, by its policies, who sees its rows.
    let dependencies: Set<UInt32>
    /// The tables that functions in its policies read, whose rows callers may not see themselves.
    let declared: Set<UInt32>
    /// Differs when the table, or anything that decides who sees its rows, was defined anew.
    let version: String
}

/// What the catalogs say of the tables that a client names.
struct SyncDefinition: Equatable, Sendable {
    let name: String
    let relation: UInt32
    let dependencies: Set<UInt32>
    let declared: Set<UInt32>
    let version: String
    /// Why no copies of it can be kept; nil if they can.
    let obstacle: String?
}

enum SyncCatalog {
    /// The definitions of the tables of these schemas and names that sync is enabled for.
    static let statement = Statement(
        """
        WITH RECURSIVE wanted AS (
            SELECT given.schema_name || '.' || given.table_name AS name, table_.oid AS relation, given.table_name, known.reads,
                table_.relrowsecurity AS is_secured
            FROM unnest($1::text[], $2::text[]) AS given (schema_name, table_name)
            JOIN swiftlet.sync_tables AS known USING (schema_name, table_name)
            JOIN pg_catalog.pg_namespace AS schema_ ON schema_.nspname = given.schema_name
            JOIN pg_catalog.pg_class AS table_
                ON table_.relnamespace = schema_.oid AND table_.relname = given.table_name
        ), reach (root, relation) AS (
            SELECT wanted.relation, coalesce(to_regclass(named.name)::oid, wanted.relation)
            FROM wanted, unnest(coalesce(wanted.reads, '{}') || format('%s', wanted.relation::regclass)::text)
                AS named (name)
            UNION
            SELECT reach.root, depends.refobjid FROM reach
            JOIN pg_catalog.pg_policy AS policy ON policy.polrelid = reach.relation AND policy.polcmd IN ('r', '*')
            JOIN pg_catalog.pg_depend AS depends ON depends.classid = 'pg_catalog.pg_policy'::regclass
                AND depends.objid = policy.oid AND depends.refclassid = 'pg_catalog.pg_class'::regclass
                AND depends.deptype = 'n'
        ), described AS (
            SELECT reach.root, reach.relation, reach.relation::regclass::text AS name,
                table_.relkind = 'r' AND table_.relreplident = 'f' AND EXISTS (
                    SELECT 1 FROM pg_catalog.pg_publication AS publication
                    WHERE publication.pubname = 'supabase_realtime' AND (publication.puballtables OR EXISTS (
                        SELECT 1 FROM pg_catalog.pg_publication_tables AS published
                        WHERE published.pubname = publication.pubname AND published.schemaname = schema_.nspname
                            AND published.tablename = table_.relname
                    ))
                ) AS is_told,
                concat_ws(' ', table_.oid, table_.xmin, table_.relrowsecurity, table_.relforcerowsecurity,
                    (SELECT string_agg(policy.oid::text || ':' || policy.xmin::text, ',' ORDER BY policy.oid)
                        FROM pg_catalog.pg_policy AS policy WHERE policy.polrelid = table_.oid),
                    (SELECT string_agg(attribute.xmin::text, ',' ORDER BY attribute.attnum)
                        FROM pg_catalog.pg_attribute AS attribute
                        WHERE attribute.attrelid = table_.oid AND attribute.attnum > 0),
                    functions.versions) AS version,
                functions.hidden
            FROM reach
            JOIN pg_catalog.pg_class AS table_ ON table_.oid = reach.relation
            JOIN pg_catalog.pg_namespace AS schema_ ON schema_.oid = table_.relnamespace
            CROSS JOIN LATERAL (
                SELECT string_agg(function.oid::text || ':' || function.xmin::text, ',' ORDER BY function.oid) AS versions,
                    string_agg(function.oid::regprocedure::text, ', ' ORDER BY function.oid) FILTER (
                        WHERE function.provolatile <> 'i'
                            AND function_schema.nspname NOT IN ('pg_catalog', 'extensions')
                            -- Of those schemas, Swiftlet's own, which read the caller's claims.
                            AND NOT (function_schema.nspname = 'auth'
                                AND function.proname IN ('uid', 'role', 'email', 'jwt') AND function.pronargs = 0)
                            AND NOT (function_schema.nspname = 'realtime' AND function.proname = 'topic'
                                AND function.pronargs = 0)
                    ) AS hidden
                FROM pg_catalog.pg_policy AS policy
                JOIN pg_catalog.pg_depend AS depends ON depends.classid = 'pg_catalog.pg_policy'::regclass
                    AND depends.objid = policy.oid AND depends.refclassid = 'pg_catalog.pg_proc'::regclass
                JOIN pg_catalog.pg_proc AS function ON function.oid = depends.refobjid
                JOIN pg_catalog.pg_namespace AS function_schema ON function_schema.oid = function.pronamespace
                WHERE policy.polrelid = reach.relation AND policy.polcmd IN ('r', '*')
            ) AS functions
        )
        SELECT wanted.name, wanted.relation,
            (SELECT string_agg(DISTINCT reach.relation::text, ' ') FROM reach
                WHERE reach.root = wanted.relation AND (reach.relation <> wanted.relation OR EXISTS (
                    -- A policy that reads its own table. To the catalogs this is the same as one that names its columns.
                    SELECT 1 FROM pg_catalog.pg_policy AS policy
                    WHERE policy.polrelid = wanted.relation AND policy.polcmd IN ('r', '*')
                        AND pg_get_expr(policy.polqual, policy.polrelid) ~ (
                            '(FROM|JOIN|,)\\s*\\(*(ONLY\\s+)?([^\\s.,()]+\\.)?'
                            || regexp_replace(quote_ident(wanted.table_name), '(\\W)', '\\\\\\1', 'g') || '(?![\\w."])'
                        )
                ))),
            (SELECT string_agg(DISTINCT to_regclass(named.name)::oid::text, ' ')
                FROM unnest(wanted.reads) AS named (name)),
            (SELECT md5(string_agg(described.version, ';' ORDER BY described.relation)) FROM described
                WHERE described.root = wanted.relation),
            coalesce(
                CASE WHEN NOT wanted.is_secured THEN 'has no row security' END,
                (SELECT 'has policies that read tables which are not there: ' || string_agg(named.name, ', ')
                    FROM unnest(wanted.reads) AS named (name) WHERE to_regclass(named.name) IS NULL),
                (SELECT 'is not published with whole old rows: ' || string_agg(described.name, ', ') FROM described
                    WHERE described.root = wanted.relation AND NOT described.is_told),
                CASE WHEN wanted.reads IS NULL THEN (
                    SELECT 'has policies that call functions, whose tables must be named: '
                        || string_agg(described.hidden, ', ') FROM described
                    WHERE described.root = wanted.relation AND described.hidden IS NOT NULL
                ) END
            )
        FROM wanted
        """,
        isReadOnly: true
    )

    static func parameters(_ tables: [(schema: String, name: String)]) -> Parameters {
        var parameters = Parameters()
        parameters.append(array: tables.map(\.schema))
        parameters.append(array: tables.map(\.name))
        return parameters
    }

    /// By `schema.name`.
    static func read(_ rows: borrowing Rows) -> [String: SyncDefinition] {
        var found: [String: SyncDefinition] = [:]
        for row in 0..<rows.count {
            guard let name = rows.text(row, 0), let relation = rows.text(row, 1).flatMap({ UInt32($0) }) else {
                continue
            }
            found[name] = SyncDefinition(
                name: name,
                relation: relation,
                dependencies: numbers(rows.text(row, 2)),
                declared: numbers(rows.text(row, 3)),
                version: rows.text(row, 4) ?? "",
                obstacle: rows.text(row, 5)
            )
        }
        return found
    }

    private static func numbers(_ text: String?) -> Set<UInt32> {
        Set(text?.split(separator: " ").compactMap { UInt32($0) } ?? [])
    }
}
