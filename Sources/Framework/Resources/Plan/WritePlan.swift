import SwiftletPostgres
import SwiftletWeb

/// What clients can write, and what a new row needs.
struct WritePlan: Sendable {
    /// Body key → column; each key in camelCase as well.
    private(set) var inputs: [String: InputColumn] = [:]
    private(set) var neededOnCreate: [NeededColumn] = []
    /// Known keys that clients cannot write; each in camelCase as well.
    private(set) var serverKeys: Set<String>
    /// Checked when a client or a hook sets one of their columns.
    let references: [TenantReference]
    /// Whether an update must read and lock the row first: for a hook, or because a change of one column makes a
    /// reference together with what the row has in another one.
    let readsRowBeforeUpdate: Bool
    /// Body key → the name under which hooks find it, of what is no column.
    private(set) var extraInputs: [String: String] = [:]

    /// Only the server sets these columns; values that clients send for them are ignored.
    private static let stamped: Set<String> = [
        Table.tenantColumn, Table.creationTimeColumn, Table.updateTimeColumn, Table.deletionTimeColumn,
    ]

    /// `key` is the column that names a row, and `derivedKeys` those of members that come from no column.
    init(
        _ rules: ResourceRules,
        _ scope: RowScope,
        _ source: Table,
        _ columns: [NamedColumn],
        key: String?,
        derivedKeys: Set<String>,
        storing lines: [LinesRule],
        _ schema: Schema
    ) {
        serverKeys = derivedKeys
        var references = source.foreignKeys.compactMap { TenantReference($0, scope, of: source, in: schema) }
        // The database may have no such key, and only hooks give a row another parent.
        let parent = rules.parent.flatMap { TenantReference($0, of: source, in: schema) }
        if let parent, !references.contains(where: { $0.columns == parent.columns }) { references.append(parent) }
        self.references = references.filter { reference in
            !source.foreignKeys.contains { reference.isGuarded(by: $0, in: schema) }
        }
        readsRowBeforeUpdate = rules.readsRowBeforeUpdate || self.references.contains { $0.columns.count > 1 }
        for column in columns {
            if column.name == key {
                addKey(column)
            } else if Self.isServerSet(column.column, rules, scope) {
                serverKeys.formUnion(column.keys)
            } else {
                addInput(column, rules)
            }
        }
        acceptCamelCase()
        // A column under that name keeps its own rules.
        for key in rules.inputs where source.column(key) == nil {
            extraInputs[camelCased(key)] = key
            extraInputs[key] = key
        }
        for lines in lines {
            for key in lines.keys { extraInputs[key] = lines.keys[0] }
        }
    }

    private static func isServerSet(_ column: Column, _ rules: ResourceRules, _ scope: RowScope) -> Bool {
        column.isGenerated || stamped.contains(column.name) || rules.readOnly.contains(column.name)
            || rules.authors.contains(column.name) || rules.parent?.foreignKey.name == column.name
            || scope.owner?.name == column.name || scope.column.name == column.name
            || rules.only.contains { $0.column == column.name && $0.words.count == 1 }
    }

    /// Given on create at most, and never changed.
    private mutating func addKey(_ column: NamedColumn) {
        serverKeys.formUnion(column.keys)
        if column.kind.isInteger, !column.column.hasDefault {
            neededOnCreate.append(NeededColumn(key: column.key, column: column.name, hooksMayFill: false))
        }
    }

    private mutating func addInput(_ column: NamedColumn, _ rules: ResourceRules) {
        let isRequired = rules.required.contains(column.name)
        let isNullable = column.column.isNullable
        let input = InputColumn(
            column: column.name,
            kind: column.kind,
            isNullable: isNullable && !isRequired,
            isRequired: isRequired,
            hasDefault: rules.haveDefault(for: column.name) || column.column.hasDefault && !isRequired,
            words: rules.enumerations[column.name],
            shape: Self.shape(of: column, rules)
        )
        for key in column.keys { inputs[key] = input }
        if isRequired || !isNullable && !column.column.hasDefault {
            neededOnCreate.append(NeededColumn(key: column.key, column: column.name, hooksMayFill: !isRequired))
        }
    }

    private static func shape(of column: NamedColumn, _ rules: ResourceRules) -> JSONKind? {
        guard column.kind == .json else { return nil }
        if rules.stringArrays.contains(column.name) { return .list }
        return rules.stringDictionaries.contains(column.name) ? .object : nil
    }

    /// Some clients send camelCase keys. A key that is declared, or is a column's own name, keeps its meaning.
    private mutating func acceptCamelCase() {
        for (key, input) in inputs where inputs[camelCased(key)] == nil { inputs[camelCased(key)] = input }
        serverKeys.formUnion(serverKeys.map(camelCased).filter { inputs[$0] == nil })
    }
}

extension ResourceRules {
    fileprivate func haveDefault(for column: String) -> Bool {
        nowDefaults.contains(column) || defaultValues.contains { $0.column == column }
            || only.contains { $0.column == column }
    }
}
