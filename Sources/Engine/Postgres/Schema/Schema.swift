/// The catalog as it was read at one moment, and the tables that a bare name means. Immutable: a reload makes a new one.
package final class Schema: Sendable {
    /// Grows with each reload that found a difference; 0 before the first load.
    package let version: Int
    package let catalog: Catalog
    /// By bare name; where two listed schemas have the same table, the one listed first.
    package let tables: [String: Table]

    /// `schemas` are those that a bare name is looked for in.
    init(version: Int, _ catalog: Catalog, searching schemas: [String]) {
        self.version = version
        self.catalog = catalog
        tables = catalog.tables(in: schemas)
    }

    package init(version: Int, tables: [String: Table]) {
        self.version = version
        self.tables = tables
        catalog = .empty
    }

    /// Before the catalog was read for the first time.
    package static let empty = Schema(version: 0, tables: [:])
}
