import SwiftletPostgres
import SwiftletWeb

/// What a list can be asked for.
struct QueryPlan: Sendable {
    /// By each of the names under which clients send it.
    private(set) var parameters: [String: QueryParameter] = [:]
    private(set) var searchColumns: [String] = []
    /// Key → column; each key in camelCase as well.
    private(set) var sortable: [String: String] = [:]
    private(set) var order: [SortKey] = []

    init(
        _ rules: ResourceRules,
        _ scope: RowScope,
        _ table: PlannedTable?,
        _ columns: [NamedColumn],
        _ schema: Schema,
        missing: inout [String]
    ) {
        guard let table else { return }
        // Of several with one name, the first counts.
        for rule in rules.ranges.reversed() {
            let lower = [rule.lower, camelCased(rule.lower)]
            let upper = [rule.upper, camelCased(rule.upper)]
            add(lower, on: rule.column.name, .atLeast, in: table, missing: &missing)
            add(upper, on: rule.column.name, rule.includesUpper ? .atMost : .before, in: table, missing: &missing)
        }
        for rule in rules.filters.reversed() {
            if let target = rule.target {
                guard let filter = NameFilter(rule, target, scope, table, schema, missing: &missing) else { continue }
                let parameter = QueryParameter(column: rule.column.name, kind: .other, meaning: .named(filter))
                for name in rule.names { parameters[name] = parameter }
                continue
            }
            let words = rules.enumerations[rule.column.name]
            let meaning: QueryParameter.Meaning =
                switch rule.meaning {
                case .value: .equals(words)
                case .caller: .caller
                case .view: .view
                }
            add(rule.names, on: rule.column.name, meaning, in: table, missing: &missing)
        }
        searchColumns = rules.search.map(\.name).filter(table.has)
        for column in columns where column.column.type.canBeOrdered {
            for key in column.keys { sortable[key] = column.name }
        }
        for (key, column) in sortable where sortable[camelCased(key)] == nil { sortable[camelCased(key)] = column }
        order = rules.order.filter { table.has($0.column) }
        if order.isEmpty, table.has(Table.creationTimeColumn) {
            order = [SortKey(column: Table.creationTimeColumn, isDescending: true)]
        }
    }

    private mutating func add(
        _ names: [String],
        on column: String,
        _ meaning: QueryParameter.Meaning,
        in table: PlannedTable,
        missing: inout [String]
    ) {
        guard let kind = table.columns[column] else { return missing.append("\(table.name).\(column)") }
        for name in names { parameters[name] = QueryParameter(column: column, kind: kind, meaning: meaning) }
    }
}

/// A query parameter that restricts a list by a column.
struct QueryParameter: Sendable {
    enum Meaning: Sendable {
        /// One of the values that it names, in the words of a vocabulary if the column has one.
        case equals(Enumeration?)
        /// One of the names of another table's rows.
        case named(NameFilter)
        /// `my=true` means that the column equals the caller's id.
        case caller
        /// `view=my` means the same, `view=unassigned` that the column is null.
        case view
        case atLeast
        case before
        case atMost
    }

    let column: String
    let kind: ColumnKind
    let meaning: Meaning
}
