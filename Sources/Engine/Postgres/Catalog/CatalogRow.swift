/// One row that a query of ``CatalogQueries`` gave.
struct CatalogRow {
    private let cells: [String?]

    init(_ cells: [String?]) { self.cells = cells }

    init(_ row: Row) { cells = row.columns.indices.map { row[$0] } }

    /// nil for NULL.
    subscript(_ position: Int) -> String? { position < cells.count ? cells[position] : nil }

    /// Empty for NULL.
    func text(_ position: Int) -> String { self[position] ?? "" }

    func flag(_ position: Int) -> Bool { self[position] == "t" }

    func number<Value: FixedWidthInteger>(_ position: Int) -> Value? { self[position].flatMap { Value($0) } }

    /// Empty for NULL, and for what is no array.
    func list(_ position: Int) -> [String] {
        self[position].flatMap { [String](sqlText: $0.utf8.span) } ?? []
    }

    /// nil where the second of the two is NULL.
    func name(_ schema: Int, _ name: Int) -> QualifiedName? {
        self[name].map { QualifiedName(text(schema), $0) }
    }
}
