import Postgres

extension ParentSQL {
    /// The parent's side as this database has it; 404 when the parent's table is missing.
    init(_ resource: Resource, _ schema: Schema) throws(APIError) {
        guard let rule = resource.rules.parent, let table = schema.tables[rule.resource.table],
            let key = table.column(table.primaryKey.first ?? "id"), table.column(ResourcePlanner.tenantColumn) != nil
        else { throw .notFound }
        quotedName = table.quotedName
        self.key = key.name
        keyKind = ColumnKind(key)
        tenantColumn = ResourcePlanner.tenantColumn
        let children = schema.tables[resource.table]
        tallies = rule.tallies.compactMap { tally in
            guard table.column(tally.parentColumn.name) != nil else { return nil }
            guard let name = tally.childColumn?.name else {
                return ParentTally(parentColumn: tally.parentColumn.name, child: nil)
            }
            return children?.column(name).map { ParentTally(parentColumn: tally.parentColumn.name, child: $0) }
        }
    }

    /// Whether the parent's key column can hold `key` at all.
    func accepts(_ key: String) -> Bool {
        (try? keyKind.parameter(forText: key)) != nil
    }
}
