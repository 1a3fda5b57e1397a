import SwiftletPostgres
import SwiftletWeb

/// A foreign key by which one tenant's row could refer to another's, because it lacks the tenant: the database's, or
/// that of a declared parent.
struct TenantReference: Sendable {
    let columns: [String]
    /// Those of ``columns`` that the database fills where a create leaves them out.
    let filledByDatabase: Set<String>
    private let table: String
    /// The target's, in the order of ``columns``.
    private let keys: [Column]
    private let scope: ScopeColumn

    /// nil if the key holds the tenant, or its target belongs to none, or a column is generated: what it will have is
    /// known to the database only.
    init?(_ foreignKey: Table.ForeignKey, _ scope: RowScope, of source: Table, in schema: Schema) {
        guard let target = schema.tables[foreignKey.foreignTable], target.schema == foreignKey.foreignSchema else {
            return nil
        }
        self.init(
            foreignKey.columns,
            scope,
            of: source,
            foreignKey.foreignColumns.compactMap(target.column),
            of: target
        )
    }

    /// nil if the database lacks what it needs of the parent.
    init?(_ rule: ParentRule, of source: Table, in schema: Schema) {
        guard let target = schema.tables[rule.table], let key = target.rowKey(in: rule.scope) else { return nil }
        self.init([rule.foreignKey.name], rule.scope, of: source, [key], of: target)
    }

    private init?(_ columns: [String], _ scope: RowScope, of source: Table, _ keys: [Column], of target: Table) {
        // What people own may refer to what their tenant owns.
        guard let column = ScopeColumn(of: target, scope) ?? ScopeColumn(of: target, .tenant),
            columns.count == keys.count,
            !keys.contains(where: { $0.name == column.name }),
            !columns.contains(where: { source.column($0)?.isGenerated == true })
        else { return nil }
        self.columns = columns
        filledByDatabase = Set(columns.filter { source.column($0)?.hasDefault ?? false })
        table = target.quotedName
        self.keys = keys
        self.scope = column
    }

    /// How many parameters ``exists(firstParameter:)`` has.
    var parameterCount: Int { keys.count + 1 }

    /// Whether the tenant has the row that the columns would refer to: their values are the first parameters, the
    /// tenant is the last one.
    func exists(firstParameter: Int) -> String {
        let terms = (keys.map(\.name) + [scope.name]).enumerated().map { index, column in
            "r.\(column.quotedIdentifier) = $\(firstParameter + index)"
        }
        return "EXISTS (SELECT 1 FROM \(table) r WHERE \(terms.joined(separator: " AND ")))"
    }

    /// False if the target's columns cannot hold these values.
    func bind(_ values: [String], _ context: Context, to parameters: inout Parameters) throws(APIError) -> Bool {
        for (column, value) in zip(keys, values) {
            guard let parameter = try? ColumnKind(column).parameter(forText: value) else { return false }
            parameters.append(parameter)
        }
        guard let holder = try scope.parameter(in: context) else { return false }
        parameters.append(holder)
        return true
    }

    /// Whether `foreignKey`, which holds the tenant, leads to the same row and so guards this one.
    func isGuarded(by foreignKey: Table.ForeignKey, in schema: Schema) -> Bool {
        guard foreignKey.columns.contains(scope.name),
            schema.tables[foreignKey.foreignTable]?.quotedName == table
        else { return false }
        let pairs = Dictionary(zip(foreignKey.columns, foreignKey.foreignColumns)) { first, _ in first }
        return zip(columns, keys).allSatisfy { pairs[$0] == $1.name }
    }
}
