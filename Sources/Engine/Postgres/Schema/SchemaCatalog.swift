import SwiftletEventLoop

/// The queries to PostgreSQL's catalog (manual, chapter 53), and how their results become the tables of a ``Schema``.
enum SchemaCatalog {
    /// Base types, enums with their labels, domains with their base types, arrays with their element types.
    static let types = Statement(
        """
        SELECT t.oid, t.typname, t.typtype::text, t.typbasetype, t.typtypmod, t.typnotnull, t.typdefault IS NOT NULL,
            CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END,
            (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid)
        FROM pg_type t WHERE t.typtype IN ('b', 'd', 'e', 'r', 'm')
        """,
        isReadOnly: true
    )

    static let columns = Statement(
        """
        SELECT n.nspname, c.relname, c.relkind IN ('v', 'm'), a.attname, a.atttypid, a.atttypmod,
            format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef OR a.attidentity <> '',
            a.attgenerated <> '' OR a.attidentity = 'a'
                OR c.relkind IN ('v', 'm') AND NOT pg_column_is_updatable(c.oid, a.attnum, true),
            EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND a.attnum = ANY (i.indkey::int2[]))
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
            AND a.attnum > 0 AND NOT a.attisdropped
        ORDER BY array_position($1::text[], n.nspname::text), c.relname, a.attnum
        """,
        isReadOnly: true
    )

    /// Unique indexes over plain columns, the primary key among them.
    static let uniqueKeys = Statement(
        """
        SELECT n.nspname, c.relname, i.indisprimary,
            (SELECT array_agg(a.attname::text ORDER BY k.place)
             FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number WHERE k.place <= i.indnkeyatts)
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY ($1::text[]) AND i.indisunique AND i.indisvalid AND i.indexprs IS NULL
            AND i.indpred IS NULL
        ORDER BY n.nspname, c.relname, i.indexrelid
        """,
        isReadOnly: true
    )

    static let foreignKeys = Statement(
        """
        SELECT n.nspname, c.relname,
            (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(r.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = k.number),
            fn.nspname, fc.relname,
            (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(r.confkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.confrelid AND a.attnum = k.number)
        FROM pg_constraint r
            JOIN pg_class c ON c.oid = r.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_class fc ON fc.oid = r.confrelid JOIN pg_namespace fn ON fn.oid = fc.relnamespace
        WHERE r.contype = 'f' AND n.nspname = ANY ($1::text[])
        ORDER BY n.nspname, c.relname, r.oid
        """,
        isReadOnly: true
    )

    /// The columns of each constraint, and of each unique index that is none: those that its expressions read.
    static let constraints = Statement(
        """
        SELECT n.nspname, c.relname, r.conname,
            (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(r.conkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = r.conrelid AND a.attnum = k.number)
        FROM pg_constraint r JOIN pg_class c ON c.oid = r.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY ($1::text[]) AND cardinality(r.conkey) > 0
        UNION ALL
        SELECT n.nspname, c.relname, x.relname,
            (SELECT array_agg(DISTINCT a.attname::text) FROM pg_depend d
             JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
             WHERE d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid AND d.refobjid = i.indrelid
                AND d.refobjsubid > 0)
        FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class c ON c.oid = i.indrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY ($1::text[]) AND i.indisunique
            AND NOT EXISTS (SELECT FROM pg_constraint r WHERE r.conindid = i.indexrelid)
        """,
        isReadOnly: true
    )

    /// The five queries as one call.
    static func query(schemas: [String], deadline: LoopInstant) -> PendingQuery {
        var list = Parameters()
        list.append(array: schemas)
        let others = [columns, uniqueKeys, foreignKeys, constraints].map {
            PendingQuery.Part(statement: $0, parameters: list)
        }
        return PendingQuery(types, .none, others: others, deadline: deadline)
    }

    /// Tables by bare name. Of two schemas with a table of the same name, the one listed first counts.
    static func tables(_ results: [[Row]]) -> [String: Table] {
        guard results.count == 5 else { return [:] }
        let types = TypeCatalog(results[0])
        let uniqueKeys = Dictionary(grouping: results[2], by: Relation.init)
        let foreignKeys = Dictionary(grouping: results[3], by: Relation.init)
        let constraints = Dictionary(grouping: results[4], by: Relation.init)
        var tables: [String: Table] = [:]
        // The columns come in the order of the schemas, so the first relation of a name is the one that counts.
        var relations: [String: Relation] = [:]
        var columns: [Relation: [Row]] = [:]
        for row in results[1] {
            let relation = Relation(row)
            guard relations[relation.name, default: relation] == relation else { continue }
            relations[relation.name] = relation
            columns[relation, default: []].append(row)
        }
        for (relation, rows) in columns {
            let keys = uniqueKeys[relation] ?? []
            tables[relation.name] = Table(
                schema: relation.schema,
                name: relation.name,
                isView: rows.first?[2] == "t",
                columns: rows.map(types.column),
                primaryKey: keys.first { $0[2] == "t" }?.list(3) ?? [],
                foreignKeys: (foreignKeys[relation] ?? []).map(foreignKey),
                uniqueKeys: keys.filter { $0[2] != "t" }.map { $0.list(3) },
                constraints: (constraints[relation] ?? []).reduce(into: [:]) { $0[$1[2] ?? ""] = $1.list(3) }
            )
        }
        return tables
    }

    private static func foreignKey(_ row: Row) -> Table.ForeignKey {
        Table.ForeignKey(
            columns: row.list(2),
            foreignSchema: row[3] ?? "",
            foreignTable: row[4] ?? "",
            foreignColumns: row.list(5)
        )
    }

    private struct Relation: Hashable {
        let schema: String
        let name: String

        init(_ row: Row) {
            schema = row[0] ?? ""
            name = row[1] ?? ""
        }
    }
}

extension Row {
    /// A column that holds an array of texts.
    fileprivate func list(_ position: Int) -> [String] {
        guard let text = self[position], let elements = [String](sqlText: text.utf8.span) else { return [] }
        return elements
    }
}
