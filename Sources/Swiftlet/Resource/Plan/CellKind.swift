/// How a cell's text becomes JSON.
enum CellKind: Sendable {
    case text
    /// Never needs escaping: UUIDs, dates, times.
    case plain
    case number
    case bool
    case timestamp
    case json
    case array(of: ColumnKind)
    /// An array or JSON column, written as a JSON array of strings.
    case stringArray(of: ColumnKind)
    /// A JSON column, written as a JSON object with string values.
    case stringDictionary
    case enumeration(Enumeration)
}

extension CellKind {
    init(_ kind: ColumnKind) {
        guard !kind.needsJSONExpression else {
            self = .json
            return
        }
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
