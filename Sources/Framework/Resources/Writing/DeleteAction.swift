import SwiftletPostgres
import SwiftletWeb

/// Deletes rows in one statement, or marks them as deleted.
struct DeleteAction {
    let call: ResourceCall

    /// Returns the number of rows.
    func run(_ keys: [String], parentKey: String?) async throws -> Int {
        try await delete(call.rows(keys, parentKey: parentKey))
    }

    /// The same for all children of a parent.
    func children(of parentKey: String) async throws -> Int {
        try await delete(ResourceScope(call, parentKey: parentKey).conditions)
    }

    private func delete(_ conditions: [Condition]) async throws -> Int {
        guard !conditions.areImpossible else { return 0 }
        let shape = StatementKey(verb: .delete, conditions: conditions)
        let statement = call.statement(shape) { $0.delete(conditions.shapes, isSoft: call.table.deletesSoftly) }
        return try await call.run(StatementCall(statement, conditions.parameters)).affectedRows
    }
}
