import SwiftletPostgres

extension Row {
    /// The column's value as a resource would write it: a time as `2024-01-15T10:30:00Z`, a number in PostgreSQL's
    /// digits, a flag as `true`, JSON as itself, all else as its text, and NULL as null.
    ///
    ///     json.member("end_date", try row.json("end_date"))
    ///
    /// A time that apps cannot decode (`infinity`, years BC or beyond 9999) is null, and its column is named in
    /// `X-Undecodable-Columns`. JSON has its texts as they are, since nothing tells such a time from what somebody wrote.
    ///
    /// Throws ``PostgresError`` for a column that is not in the result. Arrays keep PostgreSQL's text; make them JSON
    /// with `to_jsonb`, or decode them.
    public func json(_ column: String) throws(PostgresError) -> JSONValue {
        guard let text = try decode(String?.self, column) else { return .null }
        let bytes = text.utf8.span
        var writer = JSONWriter()
        switch BuiltInType(rawValue: columnType(column)) {
        case .timestamp, .timestamptz: writer.writeTimestamp(postgresText: bytes)
        case .date: writer.writeDate(postgresText: bytes)
        case .int2, .int4, .int8, .numeric, .float4, .float8: writer.writeNumber(postgresText: bytes)
        case .json, .jsonb: writer.writeJSON(utf8: bytes)
        case .bool: return .bool(text == "t")
        case nil: return .string(text)
        }
        // What the writer wrote is JSON; only nesting beyond all measure is not read again.
        return (try? JSONParser.parse(writer.finish(), maximumDepth: JSONParser.depthLimit)) ?? .string(text)
    }
}

extension [Row] {
    /// The columns with times that apps cannot decode.
    var undecodableColumns: [String] { first?.undecodableTimes ?? [] }
}

extension Row {
    /// All columns, each as ``json(_:)`` gives it.
    public func json() throws(PostgresError) -> JSONObject {
        var object = JSONObject()
        for column in columns {
            object[column] = try json(column)
        }
        return object
    }
}

extension Row {
    /// The row as a value of your own type: keys are converted from snake_case, dates are parsed as ISO 8601.
    ///
    /// Throws `DecodingError` where the type asks for what the row does not have, and ``PostgresError`` as ``json(_:)``.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        var json = JSONWriter()
        json.write(.object(try self.json()))
        return try SnakeCaseJSON.decode(type, from: json.finish())
    }
}

extension Sequence<Row> {
    /// The rows as values of your own type: `try await context.database.query(statement).decode(Vehicle.self)`.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> [Value] {
        try map { try $0.decode(type) }
    }
}

/// Types whose text is not JSON's string, by their object ids, which never change (`pg_type.dat`).
private enum BuiltInType: UInt32 {
    case bool = 16
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case json = 114
    case float4 = 700
    case float8 = 701
    case date = 1082
    case timestamp = 1114
    case timestamptz = 1184
    case numeric = 1700
    case jsonb = 3802
}
