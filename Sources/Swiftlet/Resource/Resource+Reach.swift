import Postgres

/// Whether callers reach a row, and what they are told when they do not.
extension Resource {
    /// Statements look for the parent within the tenant; what else hides it, or what it belongs to, is asked for
    /// beforehand. Throws ``APIError`` 403 or 404.
    func requireParent(_ key: String?, _ context: Context) async throws {
        guard let key, let parent = rules.parent?.resource, parent.hidesRows else { return }
        try await parent.requireRow(key, context)
    }

    /// Throws unless the caller reaches the row `path.last`, which belongs to the row before it in `path`, and so on.
    func requireRow(_ path: [String], _ context: Context) async throws {
        guard let key = path.last else { return }
        let above = path.dropLast()
        guard let parent = rules.parent?.resource, let parentKey = above.last else {
            return try await requireRow(key, context)
        }
        try await requireRow(key, context, parentKey: parentKey)
        try await parent.requireRow(Array(above), context)
    }

    private func requireRow(_ key: String, _ context: Context, parentKey: String? = nil) async throws {
        let parentFound = try await withPlan(context) { plan in
            let table = try existing(plan)
            let scope = try ResourceScope(self, table, context, parentKey: parentKey)
            let column = rules.parent.map(\.foreignKey.name).flatMap { table.has($0) ? $0 : nil }
            guard let found = try await find(column ?? table.key, scope.row(key, table), plan, table, context) else {
                throw try await absence(of: key, context, parentKey: parentKey)
            }
            return found
        }
        // A path that says whose child this is has its own say.
        if parentKey == nil { try await requireParent(parentFound, context) }
    }

    /// What to answer where nothing was found: 403 when the row is there but out of the scope of the caller's role, else
    /// 404. Another tenant's row is never looked for.
    func absence(of key: String, _ context: Context, parentKey: String?) async throws -> APIError {
        guard let rule = rules.ownRows, try rule.binds(context.user) else { return .notFound }
        let found = try await withPlan(context) { plan in
            let table = try existing(plan)
            let scope = try ResourceScope(self, table, context, parentKey: parentKey, ofAnyone: true)
            return try await find(table.key, scope.row(key, table), plan, table, context)
        }
        return found == nil ? .notFound : .forbidden
    }

    /// Whether a row of the tenant may be out of a caller's reach.
    private var hidesRows: Bool {
        scope.owner != nil || rules.ownRows != nil || rules.hasSoftDelete || rules.parent?.resource.hidesRows == true
    }

    /// The text of `column` in the row that satisfies `conditions`; empty for NULL, nil without such a row.
    private func find(
        _ column: String,
        _ conditions: [Condition],
        _ plan: ResourcePlan,
        _ table: PlannedTable,
        _ context: Context
    ) async throws -> String? {
        guard !conditions.areImpossible else { return nil }
        let shape = StatementShape(verb: .find, conditions: conditions, columns: [column])
        let statement = plan.statements.statement(shape, isReadOnly: true) {
            var sql = ResourceSQL(plan, table)
            return sql.find(column, conditions.shapes)
        }
        var parameters = Parameters()
        conditions.bind(to: &parameters)
        let rows = try await context.query(statement, parameters)
        return rows.count > 0 ? String(utf8: rows.cell(0, 0)) : nil
    }
}
