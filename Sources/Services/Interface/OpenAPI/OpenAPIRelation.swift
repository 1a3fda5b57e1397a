import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// A table or view as the operations of `/rest/v1`.
///
/// A request chooses the columns that it wants, so no column of an answer is required.
struct OpenAPIRelation {
    private let table: Table

    /// The error of `/rest/v1`, with PostgREST's codes or PostgreSQL's.
    static let error: JSONValue = [
        "type": "object",
        "properties": [
            "code": ["type": "string"], "message": ["type": "string"], "details": [:],
            "hint": ["type": ["string", "null"]],
        ],
        "required": ["code", "message", "details", "hint"],
    ]

    init(_ table: Table) {
        self.table = table
    }

    var path: String { "/rest/v1/" + table.name }

    /// `RestTasks`: the functions' own schemas have the shorter names.
    var schemaName: String { "Rest" + SwiftName.type(table.name) }

    var schemas: [(String, JSONValue)] {
        let required = inputs.filter { !$0.isNullable && !$0.hasDefault }.map(\.name)
        return [
            (schemaName, OpenAPISchema.object(table.columns.map(Self.field), required: [])),
            (schemaName + "Input", OpenAPISchema.object(inputs.map(Self.field), required: required)),
            (schemaName + "Change", OpenAPISchema.object(inputs.map(Self.field), required: [])),
        ]
    }

    /// Its operations are below the server's root, unlike those of functions.
    func item(_ identifier: (String) -> String) -> JSONValue {
        let name = SwiftName.type(table.name)
        var item: JSONObject = ["servers": [["url": "/"]]]
        item["get"] = operation(
            identifier("selectRest" + name),
            "Reads rows of \(table.name)",
            Self.reading + filters,
            rows: [200, 206],
            refusals: [416]
        )
        guard !inputs.isEmpty else { return .object(item) }
        var new = OpenAPISchema.reference(schemaName + "Input")
        new = ["oneOf": [new, ["type": "array", "items": new]]]
        item["post"] = operation(
            identifier("insertRest" + name),
            "Inserts rows into \(table.name)",
            Self.inserting,
            rows: [200, 201],
            refusals: [409, 413, 415],
            body: new
        )
        item["patch"] = operation(
            identifier("updateRest" + name),
            "Changes the rows that match, of \(table.name)",
            Self.changing + filters,
            rows: [200],
            refusals: [409, 413, 415],
            body: OpenAPISchema.reference(schemaName + "Change")
        )
        item["delete"] = operation(
            identifier("deleteRest" + name),
            "Deletes the rows that match, of \(table.name)",
            Self.changing + filters,
            rows: [200],
            refusals: [409]
        )
        return .object(item)
    }

    private var inputs: [Column] { table.columns.filter { !$0.isGenerated } }

    private var rows: JSONValue { ["type": "array", "items": OpenAPISchema.reference(schemaName)] }

    private func operation(
        _ identifier: String,
        _ summary: String,
        _ parameters: [JSONValue],
        rows statuses: [Int],
        refusals: [Int],
        body: JSONValue? = nil
    ) -> JSONValue {
        var responses: [Int: JSONValue] = [:]
        for status in statuses { responses[status] = Self.answer("The rows, if they are asked for.", rows) }
        if !statuses.contains(201), !statuses.contains(206) { responses[204] = ["description": "It is done."] }
        for status in [400, 401, 403, 404, 406, 503] + refusals { responses[status] = Self.failure }
        var operation: JSONObject = [
            "operationId": .string(identifier), "tags": ["rest"], "parameters": .array(parameters),
            "security": [["apikey": []], ["token": []]],
        ]
        operation["summary"] = .string(summary)
        operation["responses"] = .object(
            responses.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0[String($1.key)] = $1.value }
        )
        if let body {
            operation["requestBody"] = ["required": true, "content": ["application/json": ["schema": body]]]
        }
        return .object(operation)
    }

    private var filters: [JSONValue] {
        let taken: Set = ["select", "order", "limit", "offset", "columns", "on_conflict", "and", "or"]
        return table.columns.filter { !taken.contains($0.name) }.map { column in
            Self.parameter(column.name, ["type": "string"], "A condition, such as `eq.1` or `is.null`.")
        }
    }

    private static let select = parameter("select", ["type": "string"], "Columns, and relations to embed.")
    private static let prefer: JSONValue = [
        "name": "Prefer", "in": "header", "schema": ["type": "string"],
        "description": "Such as `return=representation` or `count=exact` (RFC 7240).",
    ]
    private static let reading = [
        select, parameter("order", ["type": "string"], "Such as `created_at.desc`."),
        parameter("limit", ["type": "integer", "minimum": 0]), parameter("offset", ["type": "integer", "minimum": 0]),
        prefer,
    ]
    private static let inserting = [
        select, parameter("columns", ["type": "string"], "What counts of each row."),
        parameter("on_conflict", ["type": "string"], "Columns of a unique key, for upserts."), prefer,
    ]
    private static let changing = [select, prefer]

    private static func parameter(_ name: String, _ schema: JSONValue, _ description: String? = nil) -> JSONValue {
        var parameter: JSONObject = ["name": .string(name), "in": "query", "schema": schema]
        if let description { parameter["description"] = .string(description) }
        return .object(parameter)
    }

    private static let failure = answer("What is wrong.", OpenAPISchema.reference("RestError"))

    private static func answer(_ description: String, _ schema: JSONValue) -> JSONValue {
        ["description": .string(description), "content": ["application/json": ["schema": schema]]]
    }

    private static func field(_ column: Column) -> RouteSchema.Field {
        RouteSchema.Field(name: column.name, kind: kind(column), isNullable: column.isNullable)
    }

    /// Values keep PostgreSQL's own form, so a timestamp without zone is no `date-time`.
    private static func kind(_ column: Column) -> RouteSchema.Kind {
        switch column.type.category {
        case .text: .text(maximumLength: column.maximumLength)
        case .uuid: .uuid
        case .int2, .int4, .int8: .integer
        case .numeric, .float: .number
        case .bool: .flag
        case .timestamptz: .timestamp
        case .date: .day
        case .timestamp, .time, .bytea: .text(maximumLength: nil)
        case .enumeration(let labels): .words(labels)
        case .array: .list(.any)
        case .json, .jsonb, .other: .any
        }
    }
}
