import SwiftletPostgres
import SwiftletWeb

/// A resource's declaration applied to the actual database: what is read, what can be written, what can be asked for.
///
/// Built once per schema version. A declared column that the database lacks is left out and listed in ``missing``.
final class ResourcePlan: Sendable {
    let schema: Schema
    let table: PlannedTable?
    /// nil if the resource has no parent, or the database lacks what it needs of it.
    let parent: ParentSQL?
    /// Declared, but absent from the database: `tasks` or `tasks.start_date`.
    let missing: [String]
    let read: Projection
    let write: WritePlan
    let query: QueryPlan
    let statements = KeyedStatements()
    /// Column → the first of its keys.
    private let keys: [String: String]

    /// `lines` are those that the database has the tables for.
    init(_ name: String, _ scope: RowScope, _ rules: ResourceRules, storing lines: [LinesRule], in schema: Schema) {
        let found = schema.tables[name]
        let source = found ?? Table(name: name, columns: [])
        let columns = rules.namedColumns(of: source)
        var missing: [String] = []
        self.schema = schema
        table = PlannedTable(source, scope, rules, missing: &missing)
        parent = rules.parent.flatMap { ParentSQL($0, children: found, scope, schema) }
        read = Projection(rules, scope, source, columns, key: table?.key, schema, missing: &missing)
        let derivedKeys = read.derivedKeys
        write = WritePlan(
            rules,
            scope,
            source,
            columns,
            key: table?.key,
            derivedKeys: derivedKeys,
            storing: lines,
            schema
        )
        query = QueryPlan(rules, scope, table, columns, schema, missing: &missing)
        keys = columns.reduce(into: [:]) { $0[$1.name] = $1.key }
        if table != nil { missing += source.lacking(rules.declaredColumns + [scope.owner].compactMap(\.self)) }
        self.missing = found == nil ? [name] : Set(missing).sorted()
    }

    /// Whether the database has all that rows inside of a parent need.
    var canBeChildren: Bool { table != nil && parent != nil }

    /// Throws 404 if the database lacks the parent's table or columns.
    func requireParentTable() throws(APIError) -> ParentSQL {
        guard let parent else { throw .notFound }
        return parent
    }

    /// The name under which clients know `column`.
    func fieldName(of column: String) -> String {
        keys[column] ?? column
    }
}

extension ResourceRules {
    /// The columns that the declaration names outside of filters, ranges and SQL.
    fileprivate var declaredColumns: [Identifier] {
        var names = required + order.map(\.column) + aliases.map(\.column) + defaultValues.map(\.column) + nowDefaults
        names += authors.filter { $0 != Self.usualAuthor }
        names += [ownRowsOnly?.column, parent?.foreignKey.name].compactMap(\.self)
        for columns in [Set(renames.keys), Set(enumerations.keys), readOnly, hidden, stringArrays, stringDictionaries] {
            names += columns
        }
        return names.map { Identifier($0) } + search
    }
}
