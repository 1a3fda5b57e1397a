import SwiftletPostgres
import SwiftletWeb

/// The parent's part in the creation of a child: it must be there until the child is, and counts it.
///
/// These are statements of their own in the round trip of the insertion, because an engine that distributes tables
/// takes no subquery in it.
struct ParentCall {
    let call: ResourceCall
    let parent: ParentSQL
    let key: String

    /// Whether the parent is written in the same transaction as its children, as that of ``Lines(_:in:by:_:_:)`` is.
    var isWrittenBefore: Bool { call.resource.rules.parent?.isWrittenBefore ?? false }

    /// The statements before the insertion. The first of them fails without a parent, and with it all that follows; else it
    /// locks the parent, so that the next one finds it. None where a foreign key sees to that and nothing is counted.
    func preparation(_ bound: BoundChange) throws -> [StatementCall] {
        let addition = try addition(bound)
        if parent.guardingColumns != nil, addition == nil { return [] }
        let requirement = statement(.requireParent) { parent.require }
        return [StatementCall(requirement, try parameters()), addition].compactMap(\.self)
    }

    /// The same in a transaction that goes on without the child: throws 404 before anything has failed.
    func prepareFirst(_ bound: BoundChange) async throws {
        let isThere: Bool
        if let addition = try addition(bound) {
            isThere = try await call.run(addition, writing: bound).affectedRows > 0
        } else {
            let lock = StatementCall(statement(.lockParent) { parent.lock }, try parameters())
            isThere = try await call.run(lock, writing: bound).count > 0
        }
        guard isThere else { throw APIError.notFound }
    }

    /// Whether the statement at `index` has failed because there is no parent. `count` is the number of those before the
    /// insertion.
    func isMissing(_ error: PostgresError, at index: Int?, count: Int) -> Bool {
        if error.state == .divisionByZero { return count > 0 && index == 0 }
        guard let columns = parent.guardingColumns, error.state == .foreignKeyViolation,
            error.table == call.table.name, let name = error.constraint, let violated = call.table.constraints[name]
        else { return false }
        return Set(violated) == columns
    }

    /// nil if the child changes nothing in its parent.
    private func addition(_ bound: BoundChange) throws -> StatementCall? {
        let tallies = parent.tallies(of: bound.columns)
        guard !tallies.isEmpty else { return nil }
        var parameters = Parameters()
        for child in tallies.compactMap(\.child) { parameters.append(bound.value(of: child.name)) }
        try parent.bind(key, call.context, to: &parameters)
        let statement = statement(.addToParent, columns: tallies.compactMap(\.child?.name)) { parent.add(tallies) }
        return StatementCall(statement, parameters)
    }

    /// Throws 404 for a key that the parent's column cannot hold.
    func requireKey() throws { _ = try parameters() }

    private func parameters() throws -> Parameters {
        var parameters = Parameters()
        try parent.bind(key, call.context, to: &parameters)
        return parameters
    }

    private func statement(
        _ verb: StatementKey.Verb,
        columns: [String] = [],
        _ text: () -> String
    ) -> Statement {
        call.plan.statements.statement(StatementKey(verb: verb, columns: columns), text)
    }
}
