import Auth
import Postgres
import Web

/// The column that names the tenant of each row of a table. Only here does a tenant become a value in a statement.
struct TenantColumn: Sendable {
    let name: String
    let kind: ColumnKind

    /// nil if the table has none.
    init?(of table: Table) {
        guard let column = table.column(Table.tenantColumn) else { return nil }
        name = column.name
        kind = ColumnKind(column)
    }

    /// The tenant in PostgreSQL's text form; nil if the column cannot hold it, and so no row is the tenant's.
    func parameter(for tenant: TenantID) -> String? {
        try? kind.parameter(forText: tenant.rawValue)
    }

    /// Keeps the rows of the tenant.
    func equals(_ tenant: TenantID) -> Condition {
        parameter(for: tenant).map { Condition(shape: .equals(name), value: $0) } ?? .never
    }
}
