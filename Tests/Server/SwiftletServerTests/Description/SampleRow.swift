import SwiftletInterface
import SwiftletJSON

/// A new row with a value in every column that takes one, for tables of any kind.
enum SampleRow {
    static func json(_ relation: RelationDescription, _ schema: SchemaDescription) -> JSONValue {
        var row = JSONObject()
        for (index, column) in relation.columns.enumerated() where !column.isGenerated {
            row[column.name] = column.words.first.map { .string($0) } ?? value(column.type, schema, index)
            // No row that is there already has this one.
            if relation.primaryKey == [column.name], row[column.name] == 7 { row[column.name] = 30_007 }
        }
        return .object(row)
    }

    /// Texts differ by column, as some tables want them to.
    private static func value(_ type: ValueType, _ schema: SchemaDescription, _ index: Int) -> JSONValue {
        switch type {
        case .array(let element): return .array([value(element, schema, index)])
        case .composite(let name):
            let columns = schema.composites.first { $0.name == name }?.columns ?? []
            return .object(columns.reduce(into: JSONObject()) { $0[$1.name] = value($1.type, schema, index) })
        case .enumeration(let name):
            return schema.enumerations.first { $0.name == name }?.labels.first.map { .string($0) } ?? .null
        case .base(let name):
            switch name {
            case "int2", "int4", "int8", "float4", "float8", "numeric": return 7
            case "bool": return true
            case "uuid": return "5e9e6679-7425-40de-944b-e07fc1f90ae7"
            case "json", "jsonb": return .array([1, "a"])
            case "timestamptz", "timestamp": return "2026-01-31T12:30:00.123456Z"
            case "date": return "2026-01-31"
            case "time", "interval": return "12:30:00"
            case "inet": return "127.0.0.1"
            case "bytea": return "\\x00ff"
            case "text", "varchar", "bpchar", "citext": return .string("\(index)@b")
            default: return .null
            }
        }
    }
}
