import SwiftletAuth
import SwiftletPostgres
import SwiftletWeb

/// The column that says whose each row of a table is. Only here does a tenant, a person or a device become a value in a
/// statement of a resource.
struct ScopeColumn: Sendable {
    let name: String
    let kind: ColumnKind
    private let holder: RowScope.Holder

    /// nil if the table has none.
    init?(of table: Table, _ scope: RowScope) {
        guard let column = table.column(scope.column.name) else { return nil }
        name = column.name
        kind = ColumnKind(column)
        holder = scope.holder
    }

    /// The caller's id in PostgreSQL's text form; nil if the column cannot hold it, and so no row is the caller's.
    /// Throws 400 `NO_TENANT`, 401, or 403 `NO_DEVICE` for callers without one.
    func parameter(in context: Context) throws(APIError) -> String? {
        let id =
            switch holder {
            case .tenant: try context.tenant.rawValue
            case .person: try context.person.rawValue
            case .device: try context.device.rawValue
            }
        return try? kind.parameter(forText: id)
    }

    /// Keeps the rows of the caller.
    func equals(_ context: Context) throws(APIError) -> Condition {
        try parameter(in: context).map { Condition(shape: .equals(name), value: $0) } ?? .never
    }

    /// The caller's id is of another type than the column.
    var misfit: APIError {
        switch holder {
        case .tenant: APIError(.badRequest, "NO_TENANT", "This tenant's ID does not fit the database's tenant column")
        case .person, .device:
            APIError(.badRequest, "NO_USER", "This user's ID does not fit the database's column \(name)")
        }
    }
}
