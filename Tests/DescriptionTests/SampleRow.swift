import Description
import JSON

/// A row with a value in every column, for tables of any kind.
enum SampleRow {
    /// For `jsonb_populate_record`.
    static func json(_ relation: RelationDescription, _ schema: SchemaDescription) -> JSONValue {
        var row = JSONObject()
        for column in relation.columns {
            row[column.name] = column.words.first.map { .string($0) } ?? value(column.type, schema)
        }
        return .object(row)
    }

    private static func value(_ type: ValueType, _ schema: SchemaDescription) -> JSONValue {
        switch type {
        case .array(let element): .array([value(element, schema)])
        case .composite: .null
        case .enumeration(let name):
            schema.enumerations.first { $0.name == name }?.labels.first.map { .string($0) } ?? .null
        case .base(let name):
            switch name {
            case "int2", "int4", "int8", "float4", "float8", "numeric": 7
            case "bool": true
            case "uuid": "7c9e6679-7425-40de-944b-e07fc1f90ae7"
            case "json", "jsonb": .array([1, "a"])
            case "timestamptz", "timestamp", "date": "2026-01-31T12:30:00.5Z"
            case "time", "interval": "12:30:00"
            case "inet": "127.0.0.1"
            case "text", "varchar", "bpchar", "citext": "1"
            default: .null
            }
        }
    }
}
