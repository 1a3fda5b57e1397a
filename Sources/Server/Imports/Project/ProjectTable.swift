import SwiftletPostgres

/// A table whose rows are copied.
struct ProjectTable: Equatable, Sendable {
    /// In quotes, with its schema, in the project and here.
    let name: String
    /// In quotes, in order.
    let columns: [String]
    /// Columns that are read as another expression than their name.
    var expressions: [String: String] = [:]
    /// Columns of another type here, whose text may be another.
    var uncompared: Set<String> = []
    var bytes = 0

    /// Statements that give the rows as lines of text.
    var copyOut: String {
        let list = columns.map { expressions[$0].map { "\($0)" } ?? $0 }.joined(separator: ", ")
        return expressions.isEmpty
            ? "COPY \(name) (\(list)) TO STDOUT" : "COPY (SELECT \(list) FROM ONLY \(name)) TO STDOUT"
    }

    var copyIn: String { "COPY \(name) (\(columns.joined(separator: ", "))) FROM STDIN" }

    /// A query of the number of rows and the sum of their digests, as one text. The same on both sides if the rows are.
    func digest(isSource: Bool) -> String {
        let compared = columns.filter { !uncompared.contains($0) }
        let list = compared.map { isSource ? expressions[$0] ?? $0 : $0 }.joined(separator: ", ")
        return """
            SELECT pg_catalog.concat(pg_catalog.count(*), ' ',
                coalesce(pg_catalog.sum(pg_catalog.hashtextextended(ROW(\(list))::text, 0)), 0)) FROM ONLY \(name)
            """
    }
}

extension ProjectDatabase {
    /// Those of the app's schemas, partitions each for itself.
    func tables() throws -> [ProjectTable] {
        let rows = try rows(
            """
            SELECT format('%I.%I', n.nspname, c.relname), pg_table_size(c.oid), (
                SELECT string_agg(quote_ident(a.attname), E'\\n' ORDER BY a.attnum) FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
            )
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.oid IN \(ProjectSchemas.app)
                AND \(ProjectSchemas.isOwn("pg_class", "c"))
            ORDER BY 1
            """
        )
        return rows.map { row in
            ProjectTable(
                name: row[0],
                columns: row[2].split(separator: "\n").map(String.init),
                bytes: Int(row[1]) ?? 0
            )
        }
    }
}
