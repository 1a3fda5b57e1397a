import Foundation
import SwiftletClient

/// What the server answers to a pull.
struct PullAnswer {
    struct Table {
        let name: String
        let resets: Bool
        let isComplete: Bool
        let upserts: [RawRow]
        let deletes: [RawRow]
    }

    let cursor: String
    let hasMore: Bool
    let tables: [Table]

    init(_ data: Data) throws {
        guard let answer = RawRow(String(decoding: data, as: UTF8.self)),
            let cursor = answer["cursor"].flatMap(RawJSON.string), let more = answer["more"],
            let tables = answer["tables"].flatMap(RawJSON.members)
        else { throw APIError.decoding("the answer is none of a sync server's") }
        self.cursor = cursor
        hasMore = more == "true"
        self.tables = try tables.map { name, text in
            guard let table = RawRow(text) else { throw APIError.decoding("the table \(name) is none") }
            return Table(
                name: name,
                resets: table["reset"] == "true",
                isComplete: table["complete"] == "true",
                upserts: try Self.rows(table["upsert"]),
                deletes: try Self.rows(table["delete"])
            )
        }
    }

    private static func rows(_ text: String?) throws -> [RawRow] {
        guard let elements = RawJSON.elements(text ?? "[]") else { throw APIError.decoding("rows are none") }
        return try elements.map { element in
            guard let row = RawRow(element) else { throw APIError.decoding("a row is no object") }
            return row
        }
    }
}

/// What the server answers to changes.
struct PushAnswer {
    struct Result {
        let id: Int
        let status: String
        let code: String
        let message: String
        /// The row as it is now; nil for none.
        let row: String?
        /// Whether the answer says so; a row that is too long comes with the next pull.
        let tellsRow: Bool
    }

    let results: [Result]

    init(_ data: Data) throws {
        guard let answer = RawRow(String(decoding: data, as: UTF8.self)),
            let results = answer["results"].flatMap(RawJSON.elements)
        else { throw APIError.decoding("the answer is none of a sync server's") }
        self.results = try results.map { text in
            guard let result = RawRow(text), let id = result["id"].flatMap({ Int($0) }),
                let status = result["status"].flatMap(RawJSON.string)
            else { throw APIError.decoding("a result is none") }
            let row = result["row"]
            return Result(
                id: id,
                status: status,
                code: result["code"].flatMap(RawJSON.string) ?? "",
                message: result["message"].flatMap(RawJSON.string) ?? "",
                row: row == "null" ? nil : row,
                tellsRow: row != nil
            )
        }
    }
}
