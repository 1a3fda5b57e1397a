import Postgres

/// A declaration met with the database as it is: what is read, what may be written, what can be filtered.
///
/// Built once per schema version. A declared column that the database lacks is left out and listed in ``missing``.
final class ResourcePlan: Sendable {
    let schema: Schema
    let table: PlannedTable?
    /// What is declared but absent: `tasks` or `tasks.start_date`.
    let missing: [String]
    /// Output, in order.
    let row: RowLayout
    /// `t."id", t."title", …`: one expression per result column.
    let selectList: String
    /// Body key → column; each key in camelCase as well.
    let inputs: [String: InputColumn]
    /// What a create has to have: declared as required, or NOT NULL without anything that fills it.
    let obligatory: [ObligatoryColumn]
    /// Keys that are known but set by the server; each in camelCase as well.
    let serverKeys: Set<String>
    let filters: [PlannedFilter]
    let filterPositions: [String: Int]
    let searchColumns: [String]
    let ranges: [PlannedRange]
    let sortable: [String: String]
    let order: [OrderTerm]
    let counts: [CountField]
    private let keys: [String: String]
    let statements = StatementCache()

    init(_ resource: Resource, _ schema: Schema) {
        var planner = ResourcePlanner(resource, schema)
        planner.plan()
        self.schema = schema
        table = planner.table
        missing = planner.missing
        row = planner.row
        selectList = planner.expressions.joined(separator: ", ")
        inputs = planner.inputs
        obligatory = planner.obligatory
        keys = planner.keys
        serverKeys = planner.serverKeys
        filters = planner.filters
        filterPositions = planner.filterPositions
        searchColumns = planner.searchColumns
        ranges = planner.ranges
        sortable = planner.sortable
        order = planner.order
        counts = planner.counts
    }

    /// The name under which clients know `column`.
    func key(of column: String) -> String {
        keys[column] ?? column
    }
}

/// What the statements need to know of the table itself.
final class PlannedTable: Sendable {
    /// `"public"."tasks"`.
    let quotedName: String
    let key: String
    let keyKind: ColumnKind
    /// The database counts: a client that named the next numbers would take them from everybody's rows to come.
    let keyIsCounted: Bool
    let tenantColumn: String
    let tenantKind: ColumnKind
    let columns: [String: ColumnKind]
    let indexed: Set<String>
    let notNull: Set<String>
    /// Those of `created_at` and `updated_at` that there are.
    let creationTimes: [String]

    init(_ source: Table, key: Column, tenant: Column) {
        columns = source.columns.reduce(into: [:]) { $0[$1.name] = ColumnKind($1) }
        self.key = key.name
        keyKind = ColumnKind(key)
        keyIsCounted = key.isGenerated || key.hasDefault && keyKind.isInteger
        tenantColumn = tenant.name
        tenantKind = ColumnKind(tenant)
        quotedName = source.quotedName
        indexed = Set(source.columns.filter(\.isIndexed).map(\.name))
        notNull = Set(source.columns.filter { !$0.isNullable }.map(\.name))
        creationTimes = ["created_at", "updated_at"].filter(columns.keys.contains)
    }

    func has(_ column: String) -> Bool {
        columns[column] != nil
    }
}

/// A column that cannot be left out of a create.
struct ObligatoryColumn: Sendable {
    let key: String
    let column: String
    /// The client itself has to send it; else a hook may fill it as well.
    let isRequired: Bool
}

/// A column that clients may write.
struct InputColumn: Sendable {
    let column: String
    let kind: ColumnKind
    let isNullable: Bool
    let isRequired: Bool
    let words: Enumeration?
    let shape: JSONShape?
}

/// What a JSON column has to hold for clients to read it.
enum JSONShape: Sendable {
    case list
    case object

    func admits(_ value: JSONValue) -> Bool {
        switch self {
        case .list: value.array != nil
        case .object: value.object != nil
        }
    }

    var noun: String {
        switch self {
        case .list: "a list"
        case .object: "an object"
        }
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
