import SwiftletPostgres
import SwiftletWeb

/// The conditions that every statement carries: whose rows they are first, then what the resource and the caller's role add.
///
/// Actions build their conditions from this type, so that none of them can forget it.
struct ResourceScope {
    private(set) var conditions: [Condition]

    /// `parentKey` is the parent row's id from the path of a sub-resource. `ofAnyone` leaves out what the caller's role
    /// adds: only to tell a row out of scope from one that is not there.
    init(_ call: ResourceCall, parentKey: String? = nil, ofAnyone: Bool = false) throws {
        let (resource, table, context) = (call.resource, call.table, call.context)
        var conditions: [Condition] = []
        conditions.reserveCapacity(8)
        conditions.append(try table.scope.equals(context))
        if let parentKey, let foreignKey = resource.rules.parent?.foreignKey.name {
            conditions.append(table.columns[foreignKey].map { .equals(foreignKey, $0, parentKey) } ?? .never)
        }
        if let owner = resource.scope.owner?.name {
            conditions.append(Self.caller(owner, table, context))
        }
        if let rule = resource.rules.ownRowsOnly, !ofAnyone, try rule.binds(context.user) {
            conditions.append(Self.caller(rule.column, table, context))
        }
        for part in table.parts {
            conditions.append(part.condition)
        }
        if table.deletesSoftly {
            conditions.append(.notDeleted)
        }
        self.conditions = conditions
    }

    /// If the database lacks the column, nobody owns any row.
    private static func caller(_ column: String, _ table: PlannedTable, _ context: Context) -> Condition {
        guard let kind = table.columns[column], let user = context.identity?.id else { return .never }
        return .equals(column, kind, user)
    }

    /// The scope plus the key of one row.
    consuming func row(_ key: String, _ table: PlannedTable) -> [Condition] {
        conditions.append(.equals(table.key, table.keyKind, key))
        return conditions
    }
}
