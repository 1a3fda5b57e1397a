import SwiftletPostgres
import SwiftletWeb

/// Reads one row.
enum GetAction {
    /// Not the whole action, so that its locals live on the stack instead of the task allocator. Throws 404 if no row
    /// can match.
    @inline(never)
    static func prepare(
        _ key: String,
        _ resource: Resource,
        _ plan: ResourcePlan,
        _ context: Context,
        parentKey: String?
    ) throws -> (Statement, Parameters) {
        let call = try ResourceCall(resource, plan, context)
        let conditions = try call.row(key, parentKey: parentKey)
        guard !conditions.areImpossible else { throw APIError.notFound }
        let shape = StatementKey(verb: .get, conditions: conditions)
        return (call.statement(shape) { $0.get(conditions.shapes) }, conditions.parameters)
    }
}
