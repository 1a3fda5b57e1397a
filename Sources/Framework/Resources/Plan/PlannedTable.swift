import SwiftletPostgres
import SwiftletWeb

/// The table as the statements need it.
final class PlannedTable: Sendable {
    let name: String
    /// `"public"."tasks"`.
    let quotedName: String
    let key: String
    let keyKind: ColumnKind
    /// Whether the database numbers the rows. A client must not choose such a key, as it would take a future row's.
    let keyIsCounted: Bool
    let scope: ScopeColumn
    let columns: [String: ColumnKind]
    let indexed: Set<String>
    /// The columns of each constraint and unique index, by its name.
    let constraints: [String: [String]]
    /// `created_at` and `updated_at`, as far as the table has them.
    let creationTimes: [String]
    /// Whether a deletion only sets ``Table/deletionTimeColumn``.
    let deletesSoftly: Bool
    /// Of the rows, only those that are in each of these belong to the resource.
    let parts: [TablePart]

    /// nil if the table lacks what no resource can do without.
    init?(_ source: Table, _ scope: RowScope, _ rules: ResourceRules, missing: inout [String]) {
        guard let column = ScopeColumn(of: source, scope) else {
            missing.append("\(source.name).\(scope.column.name)")
            return nil
        }
        guard let key = source.rowKey(in: scope) else {
            missing.append("\(source.name).id" + (source.column("id") == nil ? "" : " as a unique key"))
            return nil
        }
        var parts: [TablePart] = []
        for rule in rules.only {
            let part = source.column(rule.column).flatMap { TablePart(rule, $0, rules.enumerations[rule.column]) }
            if let part { parts.append(part) } else { missing.append("\(source.name).\(rule.column)") }
        }
        // Without such a column, nothing says which rows belong to the resource.
        guard parts.count == rules.only.count else { return nil }
        self.parts = parts
        columns = source.columns.reduce(into: [:]) { $0[$1.name] = ColumnKind($1) }
        self.key = key.name
        keyKind = ColumnKind(key)
        keyIsCounted = key.isGenerated || key.hasDefault && keyKind.isInteger
        self.scope = column
        name = source.name
        quotedName = source.quotedName
        constraints = source.constraints
        indexed = Set(source.columns.filter(\.isIndexed).map(\.name))
        creationTimes = [Table.creationTimeColumn, Table.updateTimeColumn].filter(columns.keys.contains)
        deletesSoftly = rules.hasSoftDelete && columns[Table.deletionTimeColumn] != nil
    }

    func has(_ column: String) -> Bool {
        columns[column] != nil
    }
}

extension PostgresError {
    /// A column that must not be null was not there when the catalog was read, or one has got another type. PostgreSQL
    /// names the partition and not its table, so only the column tells.
    func meansNewColumn(in table: PlannedTable) -> Bool {
        if meansNewType { return true }
        return state == .notNullViolation && column.map(table.has) == false
    }

    /// The text of a value is not one of the column's type. Values are checked before they are sent, so a client's
    /// mistake is no cause of it where ``BoundChange/isChecked(for:)``.
    var meansNewType: Bool { state == .invalidTextRepresentation && kind == .server }
}
