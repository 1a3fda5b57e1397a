import SwiftletPostgres

extension NameFilter {
    /// nil if the database lacks what it needs, which is added to `missing`.
    init?(
        _ rule: FilterRule,
        _ target: FilterRule.Target,
        _ scope: RowScope,
        _ source: PlannedTable,
        _ schema: Schema,
        missing: inout [String]
    ) {
        guard let foreignKey = source.columns[target.foreignKey.name] else {
            missing.append("\(source.name).\(target.foreignKey.name)")
            return nil
        }
        guard let table = schema.tables[target.table.name], let key = table.rowKey(in: scope),
            let holder = table.column(scope.column.name), table.column(rule.column.name) != nil
        else {
            missing.append("\(target.table.name).\(rule.column.name)")
            return nil
        }
        let keyCast = ColumnKind(key).isComparable(to: foreignKey) ? "" : "::text"
        let holderCast = ColumnKind(holder).isComparable(to: source.scope.kind) ? "" : "::text"
        condition = """
            EXISTS (SELECT 1 FROM \(table.quotedName) r \
            WHERE r.\(key.name.quotedIdentifier)\(keyCast) = t.\(target.foreignKey.name.quotedIdentifier)\(keyCast) \
            AND r.\(holder.name.quotedIdentifier)\(holderCast) = t.\(holder.name.quotedIdentifier)\(holderCast) \
            AND lower(translate(r.\(rule.column.name.quotedIdentifier)::text, ' -', '__')) = ANY
            """
    }
}
