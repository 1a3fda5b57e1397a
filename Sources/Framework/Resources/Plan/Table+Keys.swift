import SwiftletPostgres
import SwiftletWeb

extension Table {
    /// The tenant's column in every table.
    static let tenantColumn = "tenant_id"
    /// What the server stamps in tables that have these columns.
    static let creationTimeColumn = "created_at"
    static let updateTimeColumn = "updated_at"
    static let deletionTimeColumn = "deleted_at"

    /// The column that names a row within its scope. In a primary key that holds the scope's column as well it is the
    /// other one; where that takes several columns it is `id`, or nil without such a column or if it may repeat. Who has
    /// only one row may have it under their own id.
    func rowKey(in scope: RowScope) -> Column? {
        let columns = primaryKey.filter { $0 != scope.column.name }
        if columns.count == 1 { return column(columns[0]) }
        if columns.isEmpty, scope.holder != .tenant, let only = primaryKey.first { return column(only) }
        return column("id").flatMap { columns.isEmpty || isUnique($0, in: scope) ? $0 : nil }
    }

    /// A partitioned table cannot say so of its `id` alone: UUIDs, and what the database gives out itself, are taken as
    /// unique.
    private func isUnique(_ column: Column, in scope: RowScope) -> Bool {
        switch column.type.category {
        case .uuid: return true
        case .int2, .int4, .int8, .text: if column.hasDefault || column.isGenerated { return true }
        default: break
        }
        return uniqueKeys.contains { Set([column.name, scope.column.name]).isSuperset(of: $0) }
    }

    /// `tasks.start_date` for each of `columns` that the table does not have.
    func lacking(_ columns: [Identifier]) -> [String] {
        columns.map(\.name).filter { column($0) == nil }.map { "\(name).\($0)" }
    }

    /// `"schema"."name"`.
    var quotedName: String {
        schema.quotedIdentifier + "." + name.quotedIdentifier
    }
}
