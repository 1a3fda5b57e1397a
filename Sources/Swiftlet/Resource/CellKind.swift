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
    /// A list, in an array or JSON column, whose elements leave as strings.
    case texts(of: ColumnKind)
    /// A JSON object whose values leave as strings.
    case textMembers
    case enumeration(Enumeration)
}
