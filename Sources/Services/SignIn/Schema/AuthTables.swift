/// The tables of the schema `auth` with their columns.
struct AuthTables: Hashable, Sendable {
    private let columns: [String: Set<String>]

    init(columns: [String: Set<String>]) { self.columns = columns }

    /// The columns of a table; empty if it does not exist.
    subscript(_ table: String) -> Set<String> { columns[table] ?? [] }

    func has(_ table: String, _ column: String) -> Bool { self[table].contains(column) }
}
