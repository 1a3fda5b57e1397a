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
    case enumeration(Enumeration)
}
