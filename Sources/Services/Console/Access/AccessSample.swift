import SwiftletJSON
import SwiftletPostgres

/// The rows that the tester asks about, as the server sees them.
enum AccessSample {
    struct Key: Hashable {
        /// The values as a JSON array.
        let text: String
        let values: [String?]
    }

    struct Row {
        let key: String
        let keyValues: [String?]
        let cells: [String?]
        /// The row in PostgreSQL's notation.
        let text: String
    }

    /// In the key's order, one more than are examined if there are more; none for a table without a key.
    static func keys(
        _ table: ConsoleTable,
        _ question: AccessQuestion,
        in transaction: Transaction
    ) async throws -> [Key] {
        guard !table.key.isEmpty else { return [] }
        if let key = question.key {
            guard key.count == table.key.count else { throw ConsoleError.bad("Which row is meant?") }
            return [Key(text: JSONValue.array(key.map { $0.map { .string($0) } ?? .null }).description, values: key)]
        }
        let query = try RowQuery(["filters": question.filters], table, masksSecrets: false)
        var builder = StatementBuilder("SELECT to_json(ARRAY[")
        table.addKey(to: &builder)
        builder.add("]::text[])::text AS key FROM ")
        table.add(to: &builder)
        query.addConditions(to: &builder, beyond: false)
        builder.add(" ORDER BY ")
        builder.list(table.key) { $0.add(name: $1.name) }
        builder.add(" LIMIT ")
        builder.bind(String(AccessQuestion.examinedRows + 1))
        builder.add("::bigint")
        return try await transaction.run(builder).map { row in
            Key(text: row["key"] ?? "[]", values: try texts(row["key"]))
        }
    }

    /// Half of them hidden ones, if there are so many, in their order.
    static func choose(_ keys: [Key], seen: Set<String>?, limit: Int) -> [Key] {
        guard let seen else { return Array(keys.prefix(limit)) }
        let hidden = keys.filter { !seen.contains($0.text) }
        let visible = keys.filter { seen.contains($0.text) }
        let few = min(hidden.count, max(limit / 2, limit - visible.count))
        let chosen = Set(hidden.prefix(few) + visible.prefix(limit - few))
        return keys.filter { chosen.contains($0) }
    }

    /// The rows with these keys, or the first ones of a table without a key.
    static func rows(
        _ table: ConsoleTable,
        _ question: AccessQuestion,
        _ keys: [Key],
        in transaction: Transaction
    ) async throws -> [Row] {
        guard table.key.isEmpty || !keys.isEmpty else { return [] }
        var builder = StatementBuilder("SELECT t::text AS row, to_json(ARRAY[")
        builder.list(table.columns) { $0.addCell($1, characters: "200", masksSecrets: false) }
        builder.add("]::text[])::text AS cells, to_json(ARRAY[")
        table.addKey(to: &builder)
        builder.add("]::text[])::text AS key FROM ")
        table.add(to: &builder)
        builder.add(" AS t")
        if table.key.isEmpty {
            try RowQuery(["filters": question.filters], table, masksSecrets: false)
                .addConditions(to: &builder, beyond: false)
            builder.add(" LIMIT ")
            builder.bind(String(min(max(question.limit, 1), AccessQuestion.maximumRows)))
            builder.add("::bigint")
        } else {
            builder.add(" WHERE ")
            table.addKey(in: keys, to: &builder)
            builder.add(" ORDER BY ")
            builder.list(table.key) { $0.add(name: $1.name) }
        }
        return try await transaction.run(builder).map { row in
            Row(
                key: row["key"] ?? "[]",
                keyValues: try texts(row["key"]),
                cells: try texts(row["cells"]),
                text: row["row"] ?? ""
            )
        }
    }

    private static func texts(_ json: String?) throws -> [String?] {
        try (JSONParser.parse(Array((json ?? "[]").utf8)).array ?? []).map(\.string)
    }
}

extension ConsoleTable {
    func addKey(to builder: inout StatementBuilder) {
        builder.list(key) { builder, column in
            builder.add(name: column.name)
            builder.add("::text")
        }
    }

    func addKey(in keys: [AccessSample.Key], to builder: inout StatementBuilder) {
        if key.count == 1 {
            builder.add(name: key[0].name)
            builder.add(" = ANY(")
            builder.bind(keys.map { $0.values.first ?? nil })
            builder.add("::")
            builder.add(trusted: key[0].type)
            builder.add("[])")
        } else {
            builder.add("to_json(ARRAY[")
            addKey(to: &builder)
            builder.add("]::text[])::text = ANY(")
            builder.bind(keys.map(\.text))
            builder.add("::text[])")
        }
    }
}
