import Postgres

/// A resource's declaration applied to the actual database: what is read, what can be written, what can be filtered.
///
/// Built once per schema version. A declared column that the database lacks is left out and listed in ``missing``.
final class ResourcePlan: Sendable {
    let schema: Schema
    let table: PlannedTable?
    /// nil if the resource has no parent, or the database lacks what it needs of it.
    let parent: ParentSQL?
    /// Declared, but absent from the database: `tasks` or `tasks.start_date`.
    let missing: [String]
    /// The members of a row's JSON object, in order.
    let row: RowLayout
    /// `t."id", t."title", …`: one expression per result column.
    let selectList: String
    /// Body key → column; each key in camelCase as well.
    let inputs: [String: InputColumn]
    /// Columns that a create needs: declared as required, or NOT NULL without a default.
    let obligatory: [ObligatoryColumn]
    /// Known keys that clients cannot write; each in camelCase as well.
    let serverKeys: Set<String>
    /// Checked when a client sends a value for the column.
    let references: [TenantReference]
    /// Body key → the name under which hooks find it, of what is no column.
    let extraInputs: [String: String]
    let filters: [PlannedFilter]
    let filterPositions: [String: Int]
    let searchColumns: [String]
    let ranges: [PlannedRange]
    /// Key → column; each key in camelCase as well.
    let sortable: [String: String]
    let order: [OrderTerm]
    let counts: [CountField]
    /// What the author wrote as SQL: the rule, and an expression over `t`.
    let declaredSQL: [(rule: String, expression: String)]
    private let keys: [String: String]
    let statements = ShapeCache()

    init(_ resource: Resource, _ schema: Schema) {
        var planner = ResourcePlanner(resource, schema)
        planner.plan()
        self.schema = schema
        table = planner.table
        parent = ParentSQL(resource, schema)
        missing = planner.missing
        row = planner.row
        selectList = planner.expressions.joined(separator: ", ")
        inputs = planner.inputs
        obligatory = planner.obligatory
        keys = planner.keys
        serverKeys = planner.serverKeys
        references = planner.references
        extraInputs = planner.extraInputs
        filters = planner.filters
        filterPositions = planner.filterPositions
        searchColumns = planner.searchColumns
        ranges = planner.ranges
        sortable = planner.sortable
        order = planner.order
        counts = planner.counts
        declaredSQL = planner.declaredSQL
    }

    /// Throws 404 if the database lacks the table.
    func requireTable() throws(APIError) -> PlannedTable {
        guard let table else { throw .notFound }
        return table
    }

    /// Throws 404 if the database lacks the parent's table or columns.
    func requireParent() throws(APIError) -> ParentSQL {
        guard let parent else { throw .notFound }
        return parent
    }

    /// The name under which clients know `column`.
    func key(of column: String) -> String {
        keys[column] ?? column
    }
}

struct PlannedFilter: Sendable {
    let rule: FilterRule
    let column: String
    let kind: ColumnKind
    let words: Enumeration?
}

struct PlannedRange: Sendable {
    let afterNames: [String]
    let beforeNames: [String]
    let column: String
    let kind: ColumnKind
}
