import Postgres

/// The steps that several writes have in common.
extension ResourceCall {
    /// The rows of `keys` within the scope. Keys that the column's type cannot hold match no row; they are skipped
    /// rather than refused.
    func rows(_ keys: [String], parentKey: String? = nil) throws -> [Condition] {
        if keys.count == 1, let key = keys.first { return try row(key, parentKey: parentKey) }
        let valid = keys.compactMap { try? table.keyKind.parameter(forText: $0) }
        let condition = Condition(shape: .anyOf(table.key), value: ArrayLiteral.text(valid))
        return [condition] + (try ResourceScope(self, parentKey: parentKey).conditions)
    }

    /// The column that must hold the caller's id in every row; nil if the caller's role sees all rows.
    var ownColumn: String? {
        get throws {
            guard let rule = resource.rules.ownRowsOnly, try rule.binds(context.user) else { return nil }
            return rule.column
        }
    }

    /// Throws 403 if a caller who only sees own rows would give one away.
    func requireOwn(_ change: Change) throws {
        guard let owner = try ownColumn, let kind = table.columns[owner], let value = change[owner] else { return }
        let caller = try? kind.parameter(forText: context.user.id)
        if value.isNull, change.action == .create { return }
        let owned = try? kind.parameter(for: value)
        guard kind == .uuid ? owned?.lowercased() == caller?.lowercased() : owned == caller, owned != nil else {
            throw APIError.forbidden
        }
    }

    /// Runs the hooks, unless the body has faults already. What one of them refuses is named beside the values that
    /// cannot be stored.
    func runHooks(_ change: inout Change, row: JSONObject?, faults: [String: String]) async throws {
        let hooks = resource.rules.before.filter { $0.actions.contains(change.action) }
        guard !hooks.isEmpty else { return }
        if !faults.isEmpty { try change.requireValid(plan, table, faults) }
        do {
            for hook in hooks {
                switch hook.run {
                case .values(let run): try await run(&change, context)
                case .row(let run): try await run(&change, row ?? JSONObject(), context)
                }
            }
        } catch let refusal as APIError where refusal.code == "VALIDATION_ERROR" {
            // On its own, it keeps its message.
            do {
                try change.requireValid(plan, table, [:])
            } catch {
                try change.requireValid(plan, table, refusal.details)
            }
            throw refusal
        }
    }

    /// Throws 409, as PostgreSQL does for a row that is not there, if the client or a hook refers to a row of another
    /// tenant. The parent of a new row is left to the statement that inserts the row.
    func requireReferences(_ bound: BoundChange) async throws {
        let references = plan.write.references
        guard !references.isEmpty else { return }
        let parent = bound.action == .create ? resource.rules.parent?.foreignKey.name : nil
        let chosen = references.filter { reference in
            reference.column != parent && bound.isChosen(reference.column) && bound.value(of: reference.column) != nil
        }
        guard !chosen.isEmpty else { return }
        var parameters = Parameters()
        for reference in chosen {
            guard let value = bound.value(of: reference.column),
                try reference.bind(value, context.tenant, to: &parameters)
            else { throw unusable([reference], bound) }
        }
        let shape = StatementShape(verb: .references, columns: chosen.map(\.column))
        let statement = plan.statements.statement(shape) { ResourceSQL.references(chosen) }
        let rows = try await context.query(statement, parameters)
        let missing = chosen.indices.filter { String(utf8: rows.cell(0, $0)) != "t" }
        guard missing.isEmpty else { throw unusable(missing.map { chosen[$0] }, bound) }
    }

    private func unusable(_ references: [TenantReference], _ bound: BoundChange) -> APIError {
        .unusable(references.map { bound.clientKey(of: $0.column) ?? plan.key(of: $0.column) })
    }

    /// Errors of a stale schema are rethrown for the caller to reload it; others name columns as the client does.
    func run(
        _ statement: Statement,
        _ parameters: consuming Parameters,
        writing bound: BoundChange? = nil
    ) async throws -> Rows {
        do throws(PostgresError) {
            return try await context.query(statement, parameters)
        } catch {
            let answer = APIError(error, bound, self)
            // The log needs the cause of a server error.
            if error.meansStaleSchema || error.meansNewColumn(in: table) || answer.status.rawValue >= 500 {
                throw error
            }
            throw answer
        }
    }

    /// The written row as a bare object.
    func response(_ rows: borrowing Rows, _ status: Status, _ ignoredKeys: [String]) -> Response {
        var response = Response.row(rows, plan, status)
        response.nameIgnoredFields(ignoredKeys)
        return response
    }
}
