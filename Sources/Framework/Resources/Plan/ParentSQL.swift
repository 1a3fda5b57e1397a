import SwiftletAuth
import SwiftletPostgres
import SwiftletWeb

/// The parent's part in the statements of a sub-resource.
struct ParentSQL: Sendable {
    let quotedName: String
    let key: String
    let keyKind: ColumnKind
    let scope: ScopeColumn
    let tallies: [ParentCounterCache]
    /// The children's columns of a foreign key that holds the scope: the database itself then refuses a child without
    /// its parent. nil without one.
    let guardingColumns: Set<String>?

    /// `children` is the table of the rows that have the parent. nil if the parent's table, key or scope column is
    /// missing.
    init?(_ rule: ParentRule, children: Table?, _ scope: RowScope, _ schema: Schema) {
        guard let table = schema.tables[rule.table], let key = table.rowKey(in: rule.scope),
            let column = ScopeColumn(of: table, rule.scope)
        else { return nil }
        quotedName = table.quotedName
        self.key = key.name
        keyKind = ColumnKind(key)
        self.scope = column
        let pairs = [rule.foreignKey.name: key.name, scope.column.name: column.name]
        let isGuarded = children?.foreignKeys.contains { foreignKey in
            foreignKey.foreignTable == table.name && foreignKey.foreignSchema == table.schema
                && Dictionary(zip(foreignKey.columns, foreignKey.foreignColumns)) { first, _ in first } == pairs
        }
        guardingColumns = isGuarded == true ? Set(pairs.keys) : nil
        tallies = rule.tallies.compactMap { tally in
            guard table.column(tally.parentColumn.name) != nil else { return nil }
            guard let name = tally.childColumn?.name else {
                return ParentCounterCache(parentColumn: tally.parentColumn.name, child: nil)
            }
            return children?.column(name).map { ParentCounterCache(parentColumn: tally.parentColumn.name, child: $0) }
        }
    }

    /// Binds the parent's key and the caller's scope. Throws 404 if its columns cannot hold them.
    func bind(_ key: String, _ context: Context, to parameters: inout Parameters) throws(APIError) {
        guard let key = try? keyKind.parameter(forText: key),
            let holder = try scope.parameter(in: context)
        else { throw .notFound }
        parameters.append(key)
        parameters.append(holder)
    }

    func exists(key keyParameter: String, tenant: String) -> String {
        "EXISTS (SELECT 1 FROM \(quotedName) p WHERE \(match(key: keyParameter, tenant: tenant)))"
    }

    /// Locks the parent until its child is stored. No row if there is none. $1 is its key, $2 the tenant.
    var lock: String {
        "SELECT 1 FROM \(quotedName) p WHERE \(match(key: "$1", tenant: "$2")) FOR KEY SHARE"
    }

    /// The same, and fails with `division_by_zero` if there is none: what follows in the same round trip then has no
    /// effect.
    var require: String { "SELECT 1 / count(*) FROM (\(lock)) p" }

    /// The tallies that a child with values in these columns changes.
    func tallies(of columns: [String]) -> [ParentCounterCache] {
        tallies.filter { tally in tally.child.map { columns.contains($0.name) } ?? true }
    }

    /// Adds a child to its parent. The parameters are the values of the tallies that have a child's
    /// column, then the parent's key and the tenant.
    func add(_ tallies: [ParentCounterCache]) -> String {
        var position = 0
        let assignments = tallies.map { tally -> String in
            let column = tally.parentColumn.quotedIdentifier
            guard let child = tally.child else { return "\(column) = coalesce(p.\(column), 0) + 1" }
            position += 1
            let value = "CAST($\(position) AS \(child.type.name))"
            return "\(column) = coalesce(p.\(column), 0) + coalesce(\(value), 0)"
        }
        let condition = match(key: "$\(position + 1)", tenant: "$\(position + 2)")
        return "UPDATE \(quotedName) AS p SET \(assignments.joined(separator: ", ")) WHERE \(condition)"
    }

    private func match(key keyParameter: String, tenant: String) -> String {
        "p.\(key.quotedIdentifier) = \(keyParameter) AND p.\(scope.name.quotedIdentifier) = \(tenant)"
    }
}

/// A parent's column that grows with each child: by the value of `child`, or by one.
struct ParentCounterCache: Sendable {
    let parentColumn: String
    let child: Column?
}
