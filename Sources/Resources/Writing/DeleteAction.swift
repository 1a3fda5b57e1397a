import Postgres
import Web

/// Deletes rows in one statement, or marks them as deleted.
struct DeleteAction {
    let call: ResourceCall

    /// Returns the number of rows.
    func run(_ keys: [String], parentKey: String?) async throws -> Int {
        let conditions = try call.rows(keys, parentKey: parentKey)
        guard !conditions.areImpossible else { return 0 }
        let shape = StatementShape(verb: .delete, conditions: conditions)
        let statement = call.statement(shape) { $0.delete(conditions.shapes, isSoft: call.table.deletesSoftly) }
        return try await call.run(statement, conditions.parameters).affectedRows
    }
}
