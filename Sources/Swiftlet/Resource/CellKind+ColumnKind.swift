extension CellKind {
    init(_ kind: ColumnKind) {
        self =
            switch kind {
            case .text, .enumeration, .bytea: .text
            case .uuid, .date, .time: .plain
            case .integer, .numeric, .float: .number
            case .bool: .bool
            case .timestamp, .timestampWithZone: .timestamp
            case .json, .other: .json
            case .array(let element): .array(of: element)
            }
    }
}

extension ColumnKind {
    /// Whether a value has elements of its own: a list, or JSON.
    var holdsElements: Bool {
        switch self {
        case .json, .array: !needsJSONExpression
        default: false
        }
    }

    /// Whether PostgreSQL must turn the value into JSON itself, because its text form is not ours to know.
    var needsJSONExpression: Bool {
        switch self {
        case .other: true
        case .array(.other), .array(.array), .array(.json), .array(.bytea): true
        default: false
        }
    }
}
