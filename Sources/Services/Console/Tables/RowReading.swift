import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// One row as a whole, and the rows that refer to it.
struct RowReading {
    let table: ConsoleTable
    let key: [String?]

    /// A cell beyond this is cut, and cannot be edited.
    static let cellCharacters = 100_000
    static let maximumReferrers = 50

    init(_ body: JSONObject, _ table: ConsoleTable) throws {
        self.table = table
        key = (body["key"]?.array ?? []).map(\.string)
        guard !table.key.isEmpty, key.count == table.key.count else { throw ConsoleError.bad("Which row is meant?") }
    }

    /// The cells, the version, and which cells are cut.
    func read(masksSecrets: Bool, in transaction: Transaction) async throws -> String {
        var builder = StatementBuilder("SELECT json_build_object('cells', to_json(ARRAY[")
        builder.list(table.columns) { $0.addCell($1, characters: "100000", masksSecrets: masksSecrets) }
        builder.add("]::text[]), 'version', ")
        builder.add(table.isTable ? "xmin::text" : "NULL")
        builder.add(", 'cut', to_json(array_remove(ARRAY[")
        builder.list(table.columns) { builder, column in
            builder.add("CASE WHEN length(")
            builder.add(name: column.name)
            builder.add("::text) > 100000 THEN ")
            builder.bind(column.name)
            builder.add("::text END")
        }
        builder.add("]::text[], NULL))) FROM ")
        table.add(to: &builder)
        builder.add(" WHERE ")
        builder.add(table.key, equal: key)
        let json = try await transaction.json(builder)
        guard json != "null" else { throw ConsoleError(404, "GONE", "The row is not there any more.") }
        return json
    }

    /// How many rows refer to this one by each foreign key, counted up to 1001.
    func referrers(in transaction: Transaction) async throws -> JSONValue {
        var found: [JSONValue] = []
        for reference in (table.description["referredBy"]?.array ?? []).prefix(Self.maximumReferrers) {
            guard let schema = reference["schema"]?.string, let name = reference["table"]?.string else { continue }
            let columns = (reference["columns"]?.array ?? []).compactMap(\.string)
            let targets = try (reference["targets"]?.array ?? []).compactMap(\.string).map { try table.column($0) }
            guard columns.count == targets.count, !columns.isEmpty else { continue }
            let values = try await self.values(of: targets, in: transaction)
            var builder = StatementBuilder("SELECT count(*) FROM (SELECT FROM ")
            builder.add(name: schema)
            builder.add(".")
            builder.add(name: name)
            builder.add(" WHERE ")
            builder.list(Array(zip(zip(columns, targets), values)), " AND ") { builder, pair in
                builder.add(name: pair.0.0)
                builder.add(" = ")
                builder.bind(pair.1)
                builder.add("::")
                builder.add(trusted: pair.0.1.type)
            }
            builder.add(" LIMIT 1001) counted")
            let count = Int(try await transaction.json(builder)) ?? 0
            found.append([
                "schema": .string(schema), "table": .string(name), "columns": reference["columns"] ?? .array([]),
                "values": .array(values.map { $0.map { .string($0) } ?? .null }), "count": .number(JSONNumber(count)),
            ])
        }
        return .array(found)
    }

    private func values(of columns: [ConsoleTable.Column], in transaction: Transaction) async throws -> [String?] {
        var builder = StatementBuilder("SELECT to_json(ARRAY[")
        builder.list(columns) { builder, column in
            builder.add(name: column.name)
            builder.add("::text")
        }
        builder.add("]::text[]) FROM ")
        table.add(to: &builder)
        builder.add(" WHERE ")
        builder.add(table.key, equal: key)
        let json = try JSONParser.parse(Array(try await transaction.json(builder).utf8))
        return (json.array ?? []).map(\.string)
    }
}

extension StatementBuilder {
    /// The column as text; of secrets only whether there is one.
    mutating func addCell(_ column: ConsoleTable.Column, characters: StaticString, masksSecrets: Bool) {
        if masksSecrets, ConsoleTable.isSecret(column.name) {
            add("CASE WHEN ")
            add(name: column.name)
            add(" IS NULL THEN NULL ELSE '•••' END")
        } else {
            add("left(")
            add(name: column.name)
            add("::text, ")
            add(characters)
            add(")")
        }
    }

    mutating func add(_ columns: [ConsoleTable.Column], equal values: [String?], prefix: StaticString = "") {
        list(Array(zip(columns, values)), " AND ") { builder, pair in
            builder.add(prefix)
            builder.add(name: pair.0.name)
            builder.add(" = ")
            builder.bind(pair.1)
            builder.add("::")
            builder.add(trusted: pair.0.type)
        }
    }
}
