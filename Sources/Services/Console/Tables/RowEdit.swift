import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// One row that is inserted, updated or deleted.
struct RowEdit {
    enum Kind: String { case insert, update, delete }

    /// NULL, a text, or the column's default: three different things.
    enum NewValue {
        case text(String?)
        case byDefault
    }

    let kind: Kind
    let table: ConsoleTable
    let key: [String?]
    /// The row's version that the operator has seen.
    let version: String?
    let values: [(column: ConsoleTable.Column, value: NewValue)]

    init(_ body: JSONObject, _ table: ConsoleTable) throws {
        guard let kind = Kind(rawValue: body["kind"]?.string ?? "") else {
            throw ConsoleError.bad("What is to be done?")
        }
        if let reason = table.reasonToBeReadOnly {
            throw ConsoleError(403, "READ_ONLY", "\(table.name) is read-only here. \(reason)")
        }
        self.kind = kind
        self.table = table
        key = (body["key"]?.array ?? []).map(\.string)
        version = body["version"]?.string
        var values: [(ConsoleTable.Column, NewValue)] = []
        for (name, value) in body["values"]?.object ?? [:] {
            let column = try table.column(name)
            switch value {
            case .string(let text): values.append((column, .text(text)))
            case .null: values.append((column, .text(nil)))
            default: values.append((column, .byDefault))
            }
        }
        self.values = values
        if kind != .insert, key.count != table.key.count { throw ConsoleError.bad("Which row is meant?") }
        if kind == .update, values.isEmpty { throw ConsoleError.bad("Nothing is to be changed.") }
    }

    /// The row as it is now, as JSON.
    var current: StatementBuilder {
        var builder = StatementBuilder("SELECT to_jsonb(t)::text AS row, t.xmin::text AS version FROM ")
        table.add(to: &builder)
        builder.add(" AS t WHERE ")
        builder.add(table.key, equal: key, prefix: "t.")
        builder.add(" FOR UPDATE")
        return builder
    }

    var statement: StatementBuilder {
        var builder = StatementBuilder()
        switch kind {
        case .insert:
            builder.add("INSERT INTO ")
            table.add(to: &builder)
            if values.isEmpty {
                builder.add(" DEFAULT VALUES")
            } else {
                builder.add(" (")
                builder.list(values) { $0.add(name: $1.column.name) }
                builder.add(") VALUES (")
                builder.list(values) { Self.add($1.value, of: $1.column, to: &$0) }
                builder.add(")")
            }
        case .update:
            builder.add("UPDATE ")
            table.add(to: &builder)
            builder.add(" SET ")
            builder.list(values) { builder, change in
                builder.add(name: change.column.name)
                builder.add(" = ")
                Self.add(change.value, of: change.column, to: &builder)
            }
            builder.add(" WHERE ")
            builder.add(table.key, equal: key)
        case .delete:
            builder.add("DELETE FROM ")
            table.add(to: &builder)
            builder.add(" WHERE ")
            builder.add(table.key, equal: key)
        }
        builder.add(" RETURNING to_jsonb(")
        builder.add(name: table.name)
        builder.add(".*)::text AS row")
        return builder
    }

    private static func add(_ value: NewValue, of column: ConsoleTable.Column, to builder: inout StatementBuilder) {
        switch value {
        case .byDefault: builder.add("DEFAULT")
        case .text(let text):
            builder.bind(text)
            builder.add("::")
            builder.add(trusted: column.type)
        }
    }

    /// Performs it, unless the row has changed since it was read. Returns the answer's members.
    func perform(_ asked: ConsoleRequest, in transaction: Transaction) async throws -> JSONObject {
        var before: String?
        if kind != .insert {
            guard let row = try await transaction.run(current).first else {
                throw ConsoleError(409, "GONE", "The row is not there any more.")
            }
            before = row["row"]
            if let version, row["version"] != version {
                throw ConsoleError(
                    409,
                    "CHANGED",
                    "Somebody else has changed this row meanwhile.",
                    details: ["current": try Self.parse(row["row"])]
                )
            }
        }
        let statement = statement
        let after = try await transaction.run(statement).first?["row"]
        let entry = OperatorAction(
            action: kind.rawValue,
            object: "\(table.schema).\(table.name)",
            before: before,
            after: kind == .delete ? nil : after,
            statement: statement.text
        )
        let number = try await entry.write(asked, in: transaction)
        return [
            "audit": .number(JSONNumber(number)), "statement": .string(statement.text), "row": try Self.parse(after),
        ]
    }

    private static func parse(_ text: String?) throws -> JSONValue {
        try text.map { try JSONParser.parse(Array($0.utf8)) } ?? .null
    }
}
