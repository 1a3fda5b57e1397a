import Auth
import Postgres

extension ParentSQL {
    /// Reads the parent's columns from the schema. Throws 404 if its table, key or tenant column is missing.
    init(_ resource: Resource, _ schema: Schema) throws(APIError) {
        guard let rule = resource.rules.parent, let table = schema.tables[rule.resource.table],
            let key = table.rowKey,
            let tenant = table.column(ResourcePlanner.tenantColumn)
        else { throw .notFound }
        quotedName = table.quotedName
        self.key = key.name
        keyKind = ColumnKind(key)
        tenantColumn = tenant.name
        tenantKind = ColumnKind(tenant)
        let children = schema.tables[resource.table]
        tallies = rule.tallies.compactMap { tally in
            guard table.column(tally.parentColumn.name) != nil else { return nil }
            guard let name = tally.childColumn?.name else {
                return ParentTally(parentColumn: tally.parentColumn.name, child: nil)
            }
            return children?.column(name).map { ParentTally(parentColumn: tally.parentColumn.name, child: $0) }
        }
    }

    /// Binds the parent's key and the tenant. Throws 404 if its columns cannot hold them.
    func bind(_ key: String, _ tenant: TenantID, to parameters: inout Parameters) throws(APIError) {
        guard let key = try? keyKind.parameter(forText: key),
            let tenant = try? tenantKind.parameter(forText: tenant.rawValue)
        else { throw .notFound }
        parameters.append(key)
        parameters.append(tenant)
    }
}
