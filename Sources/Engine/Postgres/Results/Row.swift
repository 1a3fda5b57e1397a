/// One row of a result, for function authors.
///
///     let statement: SQL = "SELECT title, due_date FROM tasks WHERE tenant_id = \(context.tenant)"
///     for row in try await context.database.query(statement) {
///         let title = try row.decode(String.self, "title")
///         let due = try row.json("due_date")
///     }
///
/// `decode` and the subscript give PostgreSQL's text, `2024-01-15 10:30:00`, which no app reads as a time; what
/// `json` gives goes into an answer as it is.
///
/// A name that occurs twice in a result means its first column.
public struct Row: Sendable {
    private let result: CopiedResult
    private let index: Int

    init(_ result: CopiedResult, _ index: Int) {
        self.result = result
        self.index = index
    }

    /// Names of the columns, in the order of the statement.
    public var columns: [String] { result.columns }

    /// The column's value. Throws ``PostgresError`` if it is NULL, the column is unknown or it holds another type;
    /// ask for an optional where NULL may occur.
    public func decode<Value: SQLDecodable>(
        _ type: Value.Type = Value.self,
        _ column: String
    ) throws(PostgresError) -> Value {
        guard let value = try decode(Value?.self, column) else { throw .decoding(column, "is NULL") }
        return value
    }

    /// The column's value; nil for NULL. Throws ``PostgresError`` if the column is unknown or holds another type.
    public func decode<Value: SQLDecodable>(
        _ type: Value?.Type = Value?.self,
        _ column: String
    ) throws(PostgresError) -> Value? {
        guard let position = result.columns.firstIndex(of: column) else {
            throw .decoding(column, "is not in the result")
        }
        if result.isNull(index, position) { return nil }
        guard let value = result.read(index, position, { Value(sqlText: $0) }) else {
            throw .decoding(column, "is not a \(Value.self)")
        }
        return value
    }

    /// Object id of the column's type in `pg_type`, a domain's being that of what it is
    /// made of; 0 for a column that is not there.
    package func columnType(_ column: String) -> UInt32 {
        result.columns.firstIndex(of: column).map { result.types[$0] } ?? 0
    }

    /// The column's value as PostgreSQL prints it; nil for NULL or an unknown column.
    ///
    /// Use `json(_:)` for responses: PostgreSQL prints times, flags and arrays differently from JSON.
    public subscript(_ column: String) -> String? {
        guard let position = result.columns.firstIndex(of: column) else { return nil }
        return result.isNull(index, position) ? nil : result.read(index, position) { String(sqlText: $0) }
    }
}

extension Row {
    /// Names of the columns of a row's whole result that have times which apps cannot decode.
    package var undecodableTimes: [String] { result.undecodableTimes }

    /// The text of the column at a position; nil for NULL and outside the row.
    subscript(_ position: Int) -> String? {
        guard position < result.columns.count, !result.isNull(index, position) else { return nil }
        return result.read(index, position) { String(sqlText: $0) }
    }
}

extension PostgresError {
    static func decoding(_ column: String, _ fault: String) -> PostgresError {
        let fields = Fields(message: "column \(column) \(fault)", column: column)
        return PostgresError(kind: .decoding, state: .invalidTextRepresentation, fields: fields)
    }
}
