import SwiftletBytes
import SwiftletAuth
import SwiftletPostgres
import SwiftletWeb

/// Creates one row in one round trip, after one for the references that its body has and those of its hooks.
struct CreateAction {
    let call: ResourceCall

    private var resource: Resource { call.resource }
    private var plan: ResourcePlan { call.plan }
    private var table: PlannedTable { call.table }
    private var context: Context { call.context }

    func run(_ object: JSONObject, parentKey: String?, isStrict: Bool) async throws -> ResourceRow {
        var body = WriteBody(object, .create, plan, table, isStrict: isStrict)
        try call.requireOwn(body.change)
        let stamps = try serverValues(chosenKey: body.chosenKey, parentKey: parentKey)
        var change = try withDefaults(body.change)
        let hasHooks = resource.rules.before.contains { $0.actions.contains(.create) }
        requireComplete(&body, change, stamps, hooksAreDone: !hasHooks)
        try await call.runHooks(&change, row: nil, faults: body.faults)
        if hasHooks { requireComplete(&body, change, stamps, hooksAreDone: true) }
        let bound = try bind(change, stamps, faults: body.faults)
        let chosenParentKey = parentKey == nil ? try chosenParentKey(bound) : nil
        if let chosenParentKey { try await resource.requireReachableParent(chosenParentKey, context) }
        try await call.requireReferences(bound)
        guard let rows = try await insert(bound, parentKey: parentKey ?? chosenParentKey) else {
            throw APIError.notFound
        }
        return ResourceRow(rows, plan.read.layout, ignoring: body.ignoredKeys)
    }

    /// Adds what the declaration gives to columns that the body left out.
    private func withDefaults(_ sent: Change) throws -> Change {
        var change = sent
        for part in table.parts where !change.contains(part.column) {
            change.setDefault(part.column, .json(part.first))
        }
        for column in resource.rules.nowDefaults where table.has(column) && !sent.contains(column) {
            change.setDefault(column, .now)
        }
        for rule in resource.rules.defaultValues where table.has(rule.column) && !sent.contains(rule.column) {
            change.setDefault(rule.column, .json(try rule.value(context)))
        }
        return change
    }

    /// Adds a fault to `body` for each needed column without a value. Before the hooks have
    /// run, those that they may fill are left out.
    private func requireComplete(
        _ body: inout WriteBody,
        _ change: Change,
        _ stamps: [(column: String, value: String)],
        hooksAreDone: Bool
    ) {
        let needed = plan.write.neededOnCreate
        body.requireComplete(hooksAreDone ? needed : needed.filter { !$0.hooksMayFill }) { column in
            change.contains(column) || stamps.contains { $0.column == column }
        }
    }

    /// The values as PostgreSQL takes them, with those of the server. Throws 400 for values
    /// that cannot be stored, and for `faults`.
    private func bind(
        _ change: Change,
        _ stamps: [(column: String, value: String)],
        faults: [String: String]
    ) throws -> BoundChange {
        var bound = try BoundChange(change, plan, table, faults: faults)
        for stamp in stamps { bound.stamp(stamp.column, with: stamp.value) }
        for column in table.creationTimes { bound.stampNow(column) }
        if let owner = try call.ownColumn, !bound.hasValue(owner), let caller = try callerID(for: owner) {
            bound.stamp(owner, with: caller)
        }
        return bound
    }

    /// The columns that the server sets: key, scope, author, parent. The body cannot override them.
    private func serverValues(chosenKey: String?, parentKey: String?) throws -> [(column: String, value: String)] {
        var values: [(column: String, value: String)] = []
        values.reserveCapacity(6)
        if table.key != table.scope.name, let key = chosenKey ?? generatedKey() { values.append((table.key, key)) }
        guard let holder = try table.scope.parameter(in: context) else { throw table.scope.misfit }
        values.append((table.scope.name, holder))
        for column in resource.rules.authors + [resource.scope.owner?.name].compactMap(\.self) {
            if let caller = try callerID(for: column) { values.append((column, caller)) }
        }
        if let foreignKey = resource.rules.parent?.foreignKey.name, let parentKey {
            guard table.has(foreignKey) else { throw APIError.notFound }
            values.append((foreignKey, parentKey))
        }
        return values
    }

    /// nil if the table lacks the column, or it cannot hold the id.
    private func callerID(for column: String) throws -> String? {
        let user = try context.user.id
        return table.columns[column].flatMap { try? $0.parameter(forText: user) }
    }

    /// A UUIDv7 if the key is a UUID or text, so that no column default is needed; nil for serial keys.
    private func generatedKey() -> String? {
        guard !table.keyIsCounted else { return nil }
        return switch table.keyKind {
        case .uuid, .text: KeySequence.rows.next(millisecondsSince1970: context.server.clock.milliseconds()).text
        default: nil
        }
    }

    /// The parent that a default or a hook gives to the row; nil for a row that has none. Throws 500 when a handler
    /// makes a child without saying whose, and neither of them does.
    private func chosenParentKey(_ bound: BoundChange) throws(APIError) -> String? {
        guard let foreignKey = resource.rules.parent?.foreignKey.name, table.has(foreignKey) else { return nil }
        if let key = bound.value(of: foreignKey) { return key }
        context.logger.error("a row was not made, as it has no parent", metadata: ["resource.table": "\(table.name)"])
        throw .internal
    }

    /// The row, read behind its insertion where what is read of it comes from more than its columns. nil if a trigger
    /// of the table's has kept it out.
    private func insert(_ bound: BoundChange, parentKey: String?) async throws -> Rows? {
        var calls: [StatementCall] = []
        let parent = try parentKey.map { ParentCall(call: call, parent: try plan.requireParentTable(), key: $0) }
        if let parent {
            // Its key may be none at all.
            try parent.requireKey()
            if context.isInTransaction, !parent.isWrittenBefore {
                try await parent.prepareFirst(bound)
            } else {
                calls = try parent.preparation(bound)
            }
        }
        // A key that the database counts is known when the row is returned, and not before.
        let key = plan.read.isOwnColumns ? nil : bound.value(of: table.key)
        let position = calls.count
        calls.append(insertion(bound, returning: key == nil ? .row : .key))
        if let key { calls.append(try call.readBack(key)) }
        guard calls.count > 1 else {
            let rows = try await call.run(calls[0], writing: bound, in: parent)
            if rows.count > 0 { return rows }
            return nil
        }
        let results = try await call.run(calls, writing: bound, in: parent, count: position)
        if key != nil {
            return try await call.row(readBack: results[position + 1], changed: results[position], writing: bound)
        }
        let rows = try results[position].take()
        if rows.count > 0 { return rows }
        return nil
    }

    private func insertion(_ bound: BoundChange, returning: ResourceSQL.Returning) -> StatementCall {
        let verb: StatementKey.Verb = returning == .row ? .insert : .insertKey
        let shape = StatementKey(verb: verb, columns: bound.columns, nowColumns: bound.nowColumns)
        let statement = call.statement(shape) {
            $0.insert(bound.columns, nowColumns: bound.nowColumns, returning: returning)
        }
        var parameters = Parameters()
        bound.bind(to: &parameters)
        return StatementCall(statement, parameters)
    }
}
