/// The tables that the catalog listed at one moment. Immutable: a reload makes a new one.
package final class Schema: Sendable {
    /// Grows with each reload that found a difference; 0 before the first load.
    package let version: Int
    /// By bare name; where two listed schemas have the same table, the one listed first.
    package let tables: [String: Table]

    package init(version: Int, tables: [String: Table]) {
        self.version = version
        self.tables = tables
    }

    /// Before the catalog was read for the first time.
    package static let empty = Schema(version: 0, tables: [:])
}
