/// How the text of a column becomes JSON, as `to_jsonb` makes it.
enum ColumnForm: Hashable, Sendable {
    case text
    case bool
    /// NaN and the infinities become strings.
    case number
    case json
    /// With `T` between date and time.
    case timestamp
    /// Elements in braces, with this delimiter between them.
    indirect case array(ColumnForm, delimiter: UInt8)
}

extension ColumnForm {
    /// A type's row in `pg_type`, as far as it decides.
    struct TypeRow: Sendable {
        let name: String
        /// 0 for a type that is no domain.
        let base: UInt32
        /// 0 for a type that is no array.
        let element: UInt32
        let delimiter: UInt8
    }

    /// The form of a type, given the rows of all types that it is made of.
    static func make(_ type: UInt32, _ rows: [UInt32: TypeRow], depth: Int = 0) -> ColumnForm {
        guard let row = rows[type], depth < 8 else { return .text }
        if row.base != 0 { return make(row.base, rows, depth: depth + 1) }
        if row.element != 0 {
            return .array(make(row.element, rows, depth: depth + 1), delimiter: row.delimiter)
        }
        switch row.name {
        case "bool": return .bool
        case "int2", "int4", "int8", "float4", "float8", "numeric": return .number
        case "json", "jsonb": return .json
        case "timestamp", "timestamptz": return .timestamp
        default: return .text
        }
    }
}
