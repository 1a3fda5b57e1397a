/// Which tables the schema `auth` has, and their columns, at one moment.
package struct AuthTables: Hashable, Sendable {
    private let columns: [String: Set<String>]

    package init(columns: [String: Set<String>]) { self.columns = columns }

    /// Empty for a table that is not there.
    package subscript(_ table: String) -> Set<String> { columns[table] ?? [] }

    package func has(_ table: String) -> Bool { columns[table] != nil }

    package func has(_ table: String, _ column: String) -> Bool { self[table].contains(column) }
}
