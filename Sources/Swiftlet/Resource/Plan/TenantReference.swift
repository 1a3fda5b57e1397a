import Postgres

/// A foreign key by which one tenant's row could refer to another's, because it lacks the tenant: the database's, or
/// that of a declared parent.
struct TenantReference: Sendable {
    let column: String
    private let table: String
    private let key: Column
    private let tenant: Column

    /// nil if the key holds the tenant, or its target belongs to none.
    init?(_ foreignKey: Table.ForeignKey, in schema: Schema) {
        guard let target = schema.tables[foreignKey.foreignTable], target.schema == foreignKey.foreignSchema,
            foreignKey.columns.count == 1, let key = target.column(foreignKey.foreignColumns[0]),
            let tenant = target.column(Table.tenantColumn), tenant.name != key.name
        else { return nil }
        column = foreignKey.columns[0]
        table = target.quotedName
        self.key = key
        self.tenant = tenant
    }

    /// nil if the resource has no parent, or the database lacks what it needs of it.
    init?(_ resource: Resource, in schema: Schema) {
        guard let rule = resource.rules.parent, let target = schema.tables[rule.resource.table],
            let key = target.rowKey, let tenant = target.column(Table.tenantColumn)
        else { return nil }
        column = rule.foreignKey.name
        table = target.quotedName
        self.key = key
        self.tenant = tenant
    }

    /// Whether the tenant has the row that the column would refer to.
    func exists(key keyParameter: String, tenant tenantParameter: String) -> String {
        """
        EXISTS (SELECT 1 FROM \(table) r WHERE r.\(Identifier.quote(key.name)) = \(keyParameter) \
        AND r.\(Identifier.quote(tenant.name)) = \(tenantParameter))
        """
    }

    /// False if the target's columns cannot hold these values.
    func bind(_ value: String, _ tenant: TenantID, to parameters: inout Parameters) -> Bool {
        guard let key = try? ColumnKind(key).parameter(forText: value),
            let tenant = try? ColumnKind(self.tenant).parameter(forText: tenant.rawValue)
        else { return false }
        parameters.append(key)
        parameters.append(tenant)
        return true
    }
}
