import Auth
import Postgres

/// Create, update and delete on one table, each in a single statement.
struct WriteActions {
    private let resource: Resource
    private let plan: ResourcePlan
    private let table: PlannedTable
    private let context: Context

    init(_ resource: Resource, _ plan: ResourcePlan, _ table: PlannedTable, _ context: Context) {
        self.resource = resource
        self.plan = plan
        self.table = table
        self.context = context
    }

    func create(_ object: JSONObject, parentKey: String?, isStrict: Bool) async throws -> Response {
        var body = WriteBody(object, .create, plan, table)
        if isStrict { body.refuseUnknownKeys() }
        try requireOwn(body.change)
        let stamps = try serverValues(clientKey: body.clientKey, parentKey: parentKey)
        let defaults = resource.rules.defaultValues.filter { table.has($0.column) && !body.change.contains($0.column) }
        let nowDefaults = resource.rules.nowDefaults.filter { table.has($0) && !body.change.contains($0) }
        let hasHooks = resource.rules.before.contains { $0.actions.contains(.create) }
        body.requireComplete(plan.obligatory.filter { $0.isRequired || !hasHooks }) { column in
            stamps.contains { $0.column == column } || defaults.contains { $0.column == column }
                || nowDefaults.contains(column) || table.parts.contains { $0.column == column }
        }
        var change = body.change
        for part in table.parts where !change.contains(part.column) {
            change[part.column] = part.first
        }
        for column in nowDefaults {
            change.setNow(column)
        }
        for rule in defaults {
            change[rule.column] = try rule.value(context)
        }
        try await runHooks(&change, row: nil, faults: body.faults)
        if hasHooks {
            body.requireComplete(plan.obligatory) { column in
                change.contains(column) || stamps.contains { $0.column == column }
            }
        }
        var bound = try BoundChange(change, plan, table, faults: body.faults)
        for stamp in stamps {
            bound.stamp(stamp.column, stamp.value)
        }
        for column in table.creationTimes { bound.stampNow(column) }
        if let owner = try ownColumn, !bound.hasValue(owner) { stampCaller(&bound, as: owner) }
        if parentKey == nil { try requireParent(bound) }
        try await requireReferences(bound)
        let rows = try await insert(bound, parentKey: parentKey)
        guard rows.count > 0 else { throw APIError.notFound }
        return response(rows, .created, body.ignoredKeys)
    }

    enum Update {
        case written(Response)
        /// The body holds nothing that can be written; what it does hold is `ignored`.
        case nothing(ignored: [String])
    }

    func update(
        _ key: String,
        _ object: JSONObject,
        parentKey: String?,
        isStrict: Bool
    ) async throws -> Update {
        var body = WriteBody(object, .update, plan, table)
        if isStrict { body.refuseUnknownKeys() }
        let conditions = try ResourceScope(resource, table, context, parentKey: parentKey).row(key, table)
        guard !conditions.areImpossible else { throw APIError.notFound }
        let row = try await lockRows(conditions, body)?.first
        if resource.rules.readsRowBeforeUpdate, row == nil {
            throw try await resource.absence(of: key, context, parentKey: parentKey)
        }
        let bound = try await boundUpdate(body, row: row?.row)
        guard !bound.isEmpty else { return .nothing(ignored: body.ignoredKeys) }
        let rows = try await run(
            updateStatement(bound, conditions, returnsRow: true),
            parameters(bound, conditions),
            writing: bound
        )
        guard rows.count > 0 else { throw try await resource.absence(of: key, context, parentKey: parentKey) }
        return .written(response(rows, .ok, body.ignoredKeys))
    }

    func updateMany(_ keys: [String], _ values: JSONObject, isStrict: Bool) async throws -> Response {
        var body = WriteBody(values, .update, plan, table)
        if isStrict { body.refuseUnknownKeys() }
        var response = Resource.updated(try await update(manyConditions(keys), body))
        response.nameIgnoredFields(body.ignoredKeys)
        return response
    }

    func updateAll(where column: String, is current: JSONValue, _ values: JSONObject) async throws -> Int {
        guard let kind = table.columns[column], let value = try? kind.parameter(for: current) else { return 0 }
        let scope = try ResourceScope(resource, table, context)
        let body = WriteBody(values, .update, plan, table)
        return try await update(scope.conditions + [Condition(shape: .equals(column), value: value)], body)
    }

    private func update(_ conditions: [Condition], _ body: WriteBody) async throws -> Int {
        guard let rows = try await lockRows(conditions, body) else {
            return try await update(conditions, boundUpdate(body, row: nil))
        }
        let scope = try ResourceScope(resource, table, context)
        var updated = 0
        for row in rows {
            updated += try await update(scope.row(row.key, table), boundUpdate(body, row: row.row))
        }
        return updated
    }

    private func update(_ conditions: [Condition], _ bound: BoundChange) async throws -> Int {
        guard !bound.isEmpty, !conditions.areImpossible else { return 0 }
        let rows = try await run(
            updateStatement(bound, conditions, returnsRow: false),
            parameters(bound, conditions),
            writing: bound
        )
        return rows.affectedRows
    }

    func deleteMany(_ keys: [String], parentKey: String?) async throws -> Int {
        let conditions = try manyConditions(keys, parentKey: parentKey)
        guard !conditions.areImpossible else { return 0 }
        let isSoft = resource.rules.hasSoftDelete && table.has("deleted_at")
        let shape = StatementShape(verb: .delete, conditions: conditions)
        let statement = plan.statements.statement(shape, isReadOnly: false) {
            var sql = ResourceSQL(plan, table)
            return sql.delete(conditions.shapes, isSoft: isSoft)
        }
        var parameters = Parameters()
        conditions.bind(to: &parameters)
        let nothing = try BoundChange(Change(action: .update), plan, table)
        let rows = try await run(statement, parameters, writing: nothing)
        return rows.affectedRows
    }

    /// Keys that the column's type cannot hold match no row; they are skipped rather than refused.
    private func manyConditions(_ keys: [String], parentKey: String? = nil) throws -> [Condition] {
        let scope = try ResourceScope(resource, table, context, parentKey: parentKey)
        if keys.count == 1, let key = keys.first { return scope.row(key, table) }
        let valid = keys.compactMap { try? table.keyKind.parameter(forText: $0) }
        return [Condition(shape: .anyOf(table.key), value: ArrayLiteral.text(valid))] + scope.conditions
    }

    /// The rows that match, locked for hooks to read; nil if no hook does. Throws first for a body with faults.
    private func lockRows(
        _ conditions: [Condition],
        _ body: WriteBody
    ) async throws -> [(key: String, row: JSONObject)]? {
        guard resource.rules.readsRowBeforeUpdate else { return nil }
        _ = try BoundChange(body.change, plan, table, faults: body.faults)
        let shape = StatementShape(verb: .lock, conditions: conditions)
        let statement = plan.statements.statement(shape, isReadOnly: false) {
            var sql = ResourceSQL(plan, table)
            return sql.lock(conditions.shapes)
        }
        var parameters = Parameters()
        conditions.bind(to: &parameters)
        let rows = try await context.query(statement, parameters)
        return try (0..<rows.count).map { index in
            let row = try JSONParser.parse(rows.cell(index, 1), maximumDepth: JSONParser.depthLimit)
            return (String(utf8: rows.cell(index, 0)), row.object ?? JSONObject())
        }
    }

    private func boundUpdate(_ body: WriteBody, row: JSONObject?) async throws -> BoundChange {
        try requireOwn(body.change)
        var change = body.change
        try await runHooks(&change, row: row, faults: body.faults)
        var bound = try BoundChange(change, plan, table, faults: body.faults)
        if table.has("updated_at") { bound.stampNow("updated_at") }
        try await requireReferences(bound)
        return bound
    }

    /// The column that must hold the caller's id in every row; nil if the caller's role sees all rows.
    private var ownColumn: String? {
        get throws {
            guard let rule = resource.rules.ownRowsOnly, try rule.binds(context.user) else { return nil }
            return rule.column
        }
    }

    /// Throws 403 if a caller who only sees own rows would give one away.
    private func requireOwn(_ change: Change) throws {
        guard let owner = try ownColumn, let kind = table.columns[owner], let value = change[owner] else { return }
        let caller = try? kind.parameter(forText: context.user.id)
        if value.isNull, change.action == .create { return }
        let owned = try? kind.parameter(for: value)
        guard kind == .uuid ? owned?.lowercased() == caller?.lowercased() : owned == caller, owned != nil else {
            throw APIError.forbidden
        }
    }

    private func stampCaller(_ bound: inout BoundChange, as column: String) {
        guard let kind = table.columns[column], let user = context.identity?.id else { return }
        if let user = try? kind.parameter(forText: user) { bound.stamp(column, user) }
    }

    /// Throws 500 when a handler makes a child without saying whose, and no default or hook does.
    private func requireParent(_ bound: BoundChange) throws(APIError) {
        guard let foreignKey = resource.rules.parent?.foreignKey.name, table.has(foreignKey),
            !bound.hasValue(foreignKey)
        else { return }
        context.logger.error("a row was not made, as it has no parent", metadata: ["resource.table": "\(table.name)"])
        throw .internal
    }

    /// Throws 409, as PostgreSQL does for a row that is not there, if the client refers to a row of another tenant.
    private func requireReferences(_ bound: BoundChange) async throws {
        guard !plan.references.isEmpty else { return }
        let sent = plan.references.filter { bound.clientKey(of: $0.column) != nil && bound.value(of: $0.column) != nil }
        guard !sent.isEmpty else { return }
        var parameters = Parameters()
        for reference in sent {
            guard let value = bound.value(of: reference.column),
                try reference.bind(value, context.tenant, to: &parameters)
            else { throw unusable([reference], bound) }
        }
        let shape = StatementShape(verb: .references, columns: sent.map(\.column))
        let statement = plan.statements.statement(shape, isReadOnly: true) { ResourceSQL.references(sent) }
        let rows = try await context.query(statement, parameters)
        let missing = sent.indices.filter { String(utf8: rows.cell(0, $0)) != "t" }
        guard missing.isEmpty else { throw unusable(missing.map { sent[$0] }, bound) }
    }

    private func unusable(_ references: [TenantReference], _ bound: BoundChange) -> APIError {
        .unusable(references.map { bound.clientKey(of: $0.column) ?? plan.key(of: $0.column) })
    }

    /// Hooks only see valid values: faults found so far are reported before any hook runs.
    private func runHooks(_ change: inout Change, row: JSONObject?, faults: [String: String]) async throws {
        let hooks = resource.rules.before.filter { $0.actions.contains(change.action) }
        guard !hooks.isEmpty else { return }
        // Throws, and names the faults of the columns' types as well.
        if !faults.isEmpty { _ = try BoundChange(change, plan, table, faults: faults) }
        for hook in hooks {
            switch hook.run {
            case .values(let run): try await run(&change, context)
            case .row(let run): try await run(&change, row ?? JSONObject(), context)
            }
        }
    }

    /// The columns that the server sets on create: key, tenant, author, parent. The body cannot override them.
    private func serverValues(clientKey: String?, parentKey: String?) throws -> [(column: String, value: String)] {
        var values: [(column: String, value: String)] = []
        values.reserveCapacity(6)
        if let key = clientKey ?? generatedKey() { values.append((table.key, key)) }
        let tenant = try context.tenant.rawValue
        guard let tenant = try? table.tenantKind.parameter(forText: tenant) else {
            throw APIError(.badRequest, "NO_TENANT", "This tenant's ID does not fit the database's tenant column")
        }
        values.append((table.tenantColumn, tenant))
        let user = try context.user.id
        for column in resource.rules.authors { appendCaller(user, to: &values, as: column) }
        if let owner = resource.scope.owner { appendCaller(user, to: &values, as: owner.name) }
        if let foreignKey = resource.rules.parent?.foreignKey.name, let parentKey {
            guard table.has(foreignKey) else { throw APIError.notFound }
            values.append((foreignKey, parentKey))
        }
        return values
    }

    private func appendCaller(_ user: String, to values: inout [(column: String, value: String)], as column: String) {
        guard let kind = table.columns[column], let user = try? kind.parameter(forText: user) else { return }
        values.append((column, user))
    }

    /// A UUIDv7 if the key is a UUID or text, so that no column default is needed; nil for serial keys.
    private func generatedKey() -> String? {
        guard !table.keyIsCounted else { return nil }
        return switch table.keyKind {
        case .uuid, .text: UUIDv7(millisecondsSince1970: context.server.clock.milliseconds()).text
        default: nil
        }
    }

    private func insert(_ bound: BoundChange, parentKey: String?) async throws -> Rows {
        var parent: ParentSQL?
        var parameters = Parameters()
        if let parentKey {
            let found = try plan.requireParent()
            try found.bind(parentKey, context.tenant, to: &parameters)
            parent = found
        }
        bound.bind(to: &parameters)
        let verb: StatementShape.Verb = parent == nil ? .insert : .insertChild
        let shape = StatementShape(verb: verb, columns: bound.columns, nowColumns: bound.nowColumns)
        let statement = plan.statements.statement(shape, isReadOnly: false) {
            var sql = ResourceSQL(plan, table, parent: parent)
            return sql.insert(bound.columns, nowColumns: bound.nowColumns)
        }
        return try await run(statement, parameters, writing: bound)
    }

    /// Errors of a stale schema are rethrown for the caller to reload it; others name columns as the client does.
    private func run(
        _ statement: Statement,
        _ parameters: consuming Parameters,
        writing bound: BoundChange
    ) async throws -> Rows {
        do throws(PostgresError) {
            return try await context.query(statement, parameters)
        } catch {
            let tallied = resource.rules.parent?.tallies.compactMap(\.childColumn?.name) ?? []
            let answer = APIError(error, bound, plan, table, tallied: tallied)
            // The log needs the cause of a server error.
            if error.meansStaleSchema || answer.status.rawValue >= 500 { throw error }
            throw answer
        }
    }

    private func updateStatement(_ bound: BoundChange, _ conditions: [Condition], returnsRow: Bool) -> Statement {
        let verb: StatementShape.Verb = returnsRow ? .update : .updateMany
        let shape = StatementShape(
            verb: verb,
            conditions: conditions,
            columns: bound.columns,
            nowColumns: bound.nowColumns
        )
        return plan.statements.statement(shape, isReadOnly: false) {
            var sql = ResourceSQL(plan, table)
            return sql.update(bound.columns, nowColumns: bound.nowColumns, conditions.shapes, returnsRow: returnsRow)
        }
    }

    private func parameters(_ bound: BoundChange, _ conditions: [Condition]) -> Parameters {
        var parameters = Parameters()
        bound.bind(to: &parameters)
        conditions.bind(to: &parameters)
        return parameters
    }

    private func response(_ rows: borrowing Rows, _ status: Status, _ ignoredKeys: [String]) -> Response {
        var response = Response.row(rows, plan, status)
        response.nameIgnoredFields(ignoredKeys)
        return response
    }
}
