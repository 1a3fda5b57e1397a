import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Tables and their rows.
struct TablePages: Sendable {
    let database: ConsoleDatabase

    func list(_ asked: ConsoleRequest) async throws -> Response {
        try await database.read { .text(try await $0.json(TableCatalog.list)) }
    }

    func picture(_ asked: ConsoleRequest) async throws -> Response {
        try await database.read { .text(try await $0.json(TableCatalog.picture)) }
    }

    func show(_ asked: ConsoleRequest) async throws -> Response {
        try await database.read { transaction in
            let table = try await find(asked, transaction)
            var answer = table.description.object ?? [:]
            answer["readOnly"] = table.reasonToBeReadOnly.map { .string($0) } ?? .null
            return .json(.object(answer))
        }
    }

    func rows(_ asked: ConsoleRequest) async throws -> Response {
        let body = try asked.body()
        return try await database.read { transaction in
            let table = try await find(asked, transaction)
            let query = try RowQuery(body, table, masksSecrets: asked.role == .viewer)
            let rows = try await transaction.json(query.statement)
            var count: JSONValue = .null
            var isExact = true
            if body["count"]?.bool ?? true {
                let counted = Int(try await transaction.json(query.counting)) ?? 0
                isExact = counted <= RowQuery.exactCount
                count = .number(JSONNumber(isExact || !query.filters.isEmpty ? counted : max(table.estimate, counted)))
            }
            let names = JSONValue.array(table.columns.map { .string($0.name) }).description
            return .text(
                #"{"columns":\#(names),"rows":\#(rows),"limit":\#(query.limit),"count":\#(count.description),"exact":\#(isExact)}"#
            )
        }
    }

    /// One row as a whole.
    func row(_ asked: ConsoleRequest) async throws -> Response {
        let body = try asked.body()
        return try await database.read { transaction in
            let reading = try RowReading(body, try await find(asked, transaction))
            return .text(try await reading.read(masksSecrets: asked.role == .viewer, in: transaction))
        }
    }

    /// How many rows refer to one.
    func referrers(_ asked: ConsoleRequest) async throws -> Response {
        let body = try asked.body()
        return try await database.read { transaction in
            let reading = try RowReading(body, try await find(asked, transaction))
            return .json(try await reading.referrers(in: transaction))
        }
    }

    /// The rows that match, as CSV, read from a cursor while they are sent.
    func export(_ asked: ConsoleRequest) async throws -> Response {
        let body = try asked.body()
        let (names, cursor) = try await database.read { transaction in
            let table = try await find(asked, transaction)
            let query = try RowQuery(body, table, masksSecrets: asked.role == .viewer)
            return (table.columns.map(\.name), query.cursor)
        }
        var headers = Headers()
        headers.append(.contentType, "text/csv; charset=utf-8")
        headers.append("Content-Disposition", "attachment")
        return Response(headers: headers) { writer in
            try await writer.write(CSVRows.head(names))
            try await database.read(timeout: 60_000) { transaction in
                _ = try await transaction.query(cursor.statement, cursor.parameters)
                while true {
                    let rows = try await transaction.query(Self.fetch, .none)
                    if rows.count == 0 { break }
                    try await writer.write(CSVRows.bytes(of: rows))
                }
            }
        }
    }

    private static let fetch = Statement("FETCH 2000 FROM console_export", isReadOnly: false)

    /// `{"csv": …}`: all rows are inserted, or none.
    func insertAll(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.editor)
        let text = try asked.body()["csv"]?.string ?? ""
        let rows = try await database.read { try CSVImport(text, try await find(asked, $0)) }
        return .json(.object(try await rows.perform(asked, in: database)))
    }

    /// Inserts, updates or deletes a row; with `preview`, only says by which statement.
    func change(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.editor)
        let body = try asked.body()
        if body["preview"]?.bool == true {
            return try await database.read { transaction in
                let change = try RowEdit(body, try await find(asked, transaction))
                return .json(["statement": .string(change.statement.text)])
            }
        }
        return try await database.write { transaction in
            let change = try RowEdit(body, try await find(asked, transaction))
            return .json(.object(try await change.perform(asked, in: transaction)))
        }
    }

    private func find(_ asked: ConsoleRequest, _ transaction: Transaction) async throws -> ConsoleTable {
        try await ConsoleTable.find(
            asked.context.parameters["schema"],
            asked.context.parameters["table"],
            in: transaction
        )
    }
}

extension Response {
    /// JSON that PostgreSQL has written.
    static func text(_ json: String) -> Response { Response(json: Array(json.utf8)) }
}
