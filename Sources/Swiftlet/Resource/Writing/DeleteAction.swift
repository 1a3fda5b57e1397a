import Postgres

/// Deletes rows in one statement, or marks them as deleted.
struct DeleteAction {
    let call: ResourceCall

    /// Returns the number of rows.
    func run(_ keys: [String], parentKey: String?) async throws -> Int {
        let conditions = try call.rows(keys, parentKey: parentKey)
        guard !conditions.areImpossible else { return 0 }
        let isSoft = call.resource.rules.hasSoftDelete && call.table.has("deleted_at")
        let shape = StatementShape(verb: .delete, conditions: conditions)
        let statement = call.statement(shape) { $0.delete(conditions.shapes, isSoft: isSoft) }
        var parameters = Parameters()
        conditions.bind(to: &parameters)
        return try await call.run(statement, parameters).affectedRows
    }
}
