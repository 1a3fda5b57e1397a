import SwiftletBytes
import SwiftletPostgres
import SwiftletWeb

/// Updates one row or several in one statement; where the rows are read first, in one for each.
struct UpdateAction {
    let call: ResourceCall

    private var resource: Resource { call.resource }
    private var plan: ResourcePlan { call.plan }
    private var table: PlannedTable { call.table }

    enum Outcome {
        case written(ResourceRow)
        /// The body holds nothing that can be written; what it does hold is `ignored`.
        case nothing(ignored: [String])
    }

    func one(_ key: String, _ object: JSONObject, parentKey: String?, isStrict: Bool) async throws -> Outcome {
        let body = WriteBody(object, .update, plan, table, isStrict: isStrict)
        let conditions = try call.row(key, parentKey: parentKey)
        guard !conditions.areImpossible else { throw APIError.notFound }
        let row = try await lockRows(conditions, body)?.first
        if plan.write.readsRowBeforeUpdate, row == nil {
            throw try await resource.absence(of: key, call.context, parentKey: parentKey)
        }
        let bound = try await bind(body, row: row?.row)
        guard !bound.isEmpty else { return .nothing(ignored: body.ignoredKeys) }
        guard let rows = try await updated(key, conditions, bound) else {
            throw try await resource.absence(of: key, call.context, parentKey: parentKey)
        }
        return .written(ResourceRow(rows, plan.read.layout, ignoring: body.ignoredKeys))
    }

    func many(_ keys: [String], _ values: JSONObject, isStrict: Bool) async throws -> UpdatedRows {
        let body = WriteBody(values, .update, plan, table, isStrict: isStrict)
        return UpdatedRows(count: try await updateEach(call.rows(keys), body), ignoredFields: body.ignoredKeys)
    }

    func all(where column: String, is current: JSONValue, _ values: JSONObject) async throws -> Int {
        guard let kind = table.columns[column], let value = try? kind.parameter(for: current) else { return 0 }
        let condition = Condition(shape: .equals(column), value: value)
        return try await updateEach(
            ResourceScope(call).conditions + [condition],
            WriteBody(values, .update, plan, table)
        )
    }

    private func updateEach(_ conditions: [Condition], _ body: WriteBody) async throws -> Int {
        guard let rows = try await lockRows(conditions, body) else {
            return try await apply(bind(body, row: nil), conditions)
        }
        var updated = 0
        for row in rows {
            updated += try await apply(bind(body, row: row.row), call.row(row.key))
        }
        return updated
    }

    private func apply(_ bound: BoundChange, _ conditions: [Condition]) async throws -> Int {
        guard !bound.isEmpty, !conditions.areImpossible else { return 0 }
        return try await call.run(change(conditions, bound, returning: .nothing), writing: bound).affectedRows
    }

    /// The rows that match, locked; nil if nothing needs to read them. Throws first for a body with faults.
    private func lockRows(
        _ conditions: [Condition],
        _ body: WriteBody
    ) async throws -> [(key: String, row: JSONObject)]? {
        guard plan.write.readsRowBeforeUpdate else { return nil }
        try body.change.requireValid(plan, table, body.faults)
        let shape = StatementKey(verb: .lock, conditions: conditions)
        let statement = call.statement(shape) { $0.lock(conditions.shapes) }
        let rows = try await call.context.query(statement, conditions.parameters)
        return try (0..<rows.count).map { index in
            let row = try JSONParser.parse(rows.cell(index, 1), maximumDepth: JSONParser.depthLimit)
            return (String(utf8: rows.cell(index, 0)), row.object ?? JSONObject())
        }
    }

    private func bind(_ body: WriteBody, row: JSONObject?) async throws -> BoundChange {
        try call.requireOwn(body.change)
        var change = body.change
        try await call.runHooks(&change, row: row, faults: body.faults)
        var bound = try BoundChange(change, plan, table, faults: body.faults)
        if table.has(Table.updateTimeColumn) { bound.stampNow(Table.updateTimeColumn) }
        try await call.requireReferences(bound, row: row)
        return bound
    }

    /// The row of that key after the change; nil if there is none. It is read behind the change where what is read of
    /// it comes from more than its columns.
    private func updated(_ key: String, _ conditions: [Condition], _ bound: BoundChange) async throws -> Rows? {
        guard !plan.read.isOwnColumns else {
            let rows = try await call.run(change(conditions, bound, returning: .row), writing: bound)
            if rows.count > 0 { return rows }
            return nil
        }
        let calls = [change(conditions, bound, returning: .key), try call.readBack(key)]
        let results = try await call.run(calls, writing: bound)
        return try await call.row(readBack: results[1], changed: results[0], writing: bound)
    }

    private func change(
        _ conditions: [Condition],
        _ bound: BoundChange,
        returning: ResourceSQL.Returning
    ) -> StatementCall {
        let verb: StatementKey.Verb =
            switch returning {
            case .nothing: .updateOnly
            case .key: .updateKey
            case .row: .update
            }
        let shape = StatementKey(
            verb: verb,
            conditions: conditions,
            columns: bound.columns,
            nowColumns: bound.nowColumns
        )
        let statement = call.statement(shape) { sql in
            sql.update(bound.columns, nowColumns: bound.nowColumns, conditions.shapes, returning: returning)
        }
        var parameters = Parameters()
        bound.bind(to: &parameters)
        conditions.bind(to: &parameters)
        return StatementCall(statement, parameters)
    }
}
