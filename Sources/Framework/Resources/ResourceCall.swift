import SwiftletPostgres
import SwiftletWeb

/// One use of a resource: its plan and table, and the caller's context.
struct ResourceCall {
    let resource: Resource
    let plan: ResourcePlan
    let table: PlannedTable
    let context: Context

    /// Throws 404 if the database lacks the table.
    init(_ resource: Resource, _ plan: ResourcePlan, _ context: Context) throws(APIError) {
        guard let table = plan.table else { throw .missingTable }
        self.resource = resource
        self.plan = plan
        self.table = table
        self.context = context
    }

    /// The conditions of one row: the scope plus its key.
    func row(_ key: String, parentKey: String? = nil, ofAnyone: Bool = false) throws -> [Condition] {
        try ResourceScope(self, parentKey: parentKey, ofAnyone: ofAnyone).row(key, table)
    }

    /// The statement of a shape, which `write` writes the first time.
    func statement(
        _ shape: StatementKey,
        parent: ParentSQL? = nil,
        _ write: (inout ResourceSQL) -> String
    ) -> Statement {
        plan.statements.statement(shape) {
            var sql = ResourceSQL(plan, table, parent: parent)
            return write(&sql)
        }
    }
}
