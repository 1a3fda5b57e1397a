import Logging
import Postgres

/// The verbs of a resource, each one request: list, get, create, update, delete.
///
/// Every statement starts from a ``ResourceScope``. A table or column that is not in the schema cache any more causes
/// one reload and one more try.
extension Resource {
    /// 200 with `{"data":[…],"total":N,"page":1,"limit":25,"has_more":false}`; empty when the table is missing.
    public func list(_ request: Request, _ context: Context, parentKey: String? = nil) async throws -> Response {
        try await requireParent(parentKey, context)
        return try await withPlan(context) { plan in
            guard let table = plan.table else { return missingList(context) }
            let query = try ListQuery(request.query, plan, caller: context.identity?.id ?? "")
            let scope = try ResourceScope(self, table, context, parentKey: parentKey)
            return try await ListAction(self, plan, table, context).run(query, scope, parentKey: parentKey)
        }
    }

    /// 200 with the bare object, or 404.
    public func get(_ key: String, _ context: Context, parentKey: String? = nil) async throws -> Response {
        try await requireParent(parentKey, context)
        return try await withPlan(context) { plan in
            let (statement, parameters) = try prepareGet(key, plan, context, parentKey)
            let rows = try await context.query(statement, parameters)
            guard rows.count > 0 else { throw try await absence(of: key, context, parentKey: parentKey) }
            return Response.row(rows, plan, .ok)
        }
    }

    /// Apart from ``get(_:_:parentKey:)``, so that what it needs lives on the stack and not in the task's memory.
    @inline(never)
    private func prepareGet(
        _ key: String,
        _ plan: ResourcePlan,
        _ context: Context,
        _ parentKey: String?
    ) throws -> (Statement, Parameters) {
        let table = try existing(plan)
        let conditions = try ResourceScope(self, table, context, parentKey: parentKey).row(key, table)
        guard !conditions.areImpossible else { throw APIError.notFound }
        let shape = StatementShape(verb: .get, conditions: conditions)
        let statement = plan.statements.statement(shape, isReadOnly: true) {
            var sql = ResourceSQL(plan, table)
            return sql.get(conditions.shapes)
        }
        var parameters = Parameters()
        conditions.bind(to: &parameters)
        return (statement, parameters)
    }

    /// 201 with the bare object.
    public func create(_ request: Request, _ context: Context, parentKey: String? = nil) async throws -> Response {
        let object = try request.jsonObject()
        let isStrict = request.prefersStrictHandling
        try await requireParent(parentKey, context)
        let response = try await withPlan(context) { plan in
            let action = WriteActions(self, plan, try existing(plan), context)
            return try await action.create(object, parentKey: parentKey, isStrict: isStrict)
        }
        try await runAfterHooks(.create, response, context)
        return response
    }

    /// 200 with the bare object as it is now. Absent keys stay, `null` clears.
    public func update(
        _ key: String,
        _ request: Request,
        _ context: Context,
        parentKey: String? = nil
    ) async throws -> Response {
        let isStrict = request.prefersStrictHandling
        return try await update(key, request.jsonObject(), context, parentKey: parentKey, isStrict: isStrict)
    }

    /// The same for values that a handler made, under the keys that clients use. What clients may not write is ignored
    /// here as well: a ``before(_:run:)`` hook sets that.
    public func update(
        _ key: String,
        _ values: JSONObject,
        _ context: Context,
        parentKey: String? = nil,
        isStrict: Bool = false
    ) async throws -> Response {
        try await requireParent(parentKey, context)
        let update = try await withPlan(context) { plan in
            let action = WriteActions(self, plan, try existing(plan), context)
            return try await action.update(key, values, parentKey: parentKey, isStrict: isStrict)
        }
        switch update {
        case .written(let response):
            try await runAfterHooks(.update, response, context)
            return response
        case .nothing(let ignored):
            var response = try await get(key, context, parentKey: parentKey)
            response.nameIgnoredFields(ignored)
            return response
        }
    }

    /// 200 `{"success":true}`, also when the row is already gone: apps replay requests whose answer was lost.
    public func delete(_ key: String, _ context: Context, parentKey: String? = nil) async throws -> Response {
        let deleted = try await deleteMany([key], context, parentKey: parentKey)
        if deleted == 0, try await absence(of: key, context, parentKey: parentKey) == .forbidden {
            throw APIError.forbidden
        }
        return .success
    }

    /// Changes every row that the caller can reach and whose `column` holds `current`; returns how many there were.
    @discardableResult
    public func updateAll(
        where column: Identifier,
        is current: JSONValue,
        _ values: JSONObject,
        _ context: Context
    ) async throws -> Int {
        try await withPlan(context) { plan in
            guard let table = plan.table else { return 0 }
            return try await WriteActions(self, plan, table, context).updateAll(where: column.name, is: current, values)
        }
    }

    /// Changes every row of `keys` that the caller can reach, in one statement; returns how many there were.
    @discardableResult
    public func updateMany(_ keys: [String], _ values: JSONObject, _ context: Context) async throws -> Int {
        try await withPlan(context) { plan in
            guard let table = plan.table else { return 0 }
            return try await WriteActions(self, plan, table, context).updateMany(keys, values)
        }
    }

    @discardableResult
    public func deleteMany(_ keys: [String], _ context: Context, parentKey: String? = nil) async throws -> Int {
        do {
            try await requireParent(parentKey, context)
        } catch let error as APIError where error == .notFound {
            return 0
        }
        return try await withPlan(context) { plan in
            guard let table = plan.table else { return 0 }
            return try await WriteActions(self, plan, table, context).deleteMany(keys, parentKey: parentKey)
        }
    }

    func existing(_ plan: ResourcePlan) throws(APIError) -> PlannedTable {
        guard let table = plan.table else { throw .notFound }
        return table
    }

    /// Runs outside of ``withPlan(_:_:)``: whatever a hook throws, the row is written and must not be written again.
    private func runAfterHooks(_ action: WriteAction, _ response: Response, _ context: Context) async throws {
        let hooks = rules.after.filter { $0.actions.contains(action) }
        guard !hooks.isEmpty, let row = try JSONParser.parse(response.body).object else { return }
        for hook in hooks {
            try await hook.run(row, context)
        }
    }

    /// Clients of a database that lacks the table see an empty list, not an error.
    private func missingList(_ context: Context) -> Response {
        context.logger.warning("list of a missing table", metadata: ["resource.table": "\(table)"])
        var json = JSONWriter(minimumCapacity: 64)
        json.writeRaw(#"{"data":[],"total":0,"page":1,"limit":25,"has_more":false}"#)
        return Response(json: json.finish())
    }

    func withPlan<Result>(
        _ context: Context,
        _ body: (ResourcePlan) async throws -> Result
    ) async throws -> Result {
        let database = context.server.database
        do {
            let schema = database.schema
            let plan = plans.plan(for: self, in: schema)
            // Nothing may be known yet, as the server serves before the catalog is read; or the table is new.
            if plan.table == nil, try await database.reloadSchemaAfterMiss(version: schema.version) {
                return try await body(plans.plan(for: self, in: database.schema))
            }
            return try await body(plan)
        } catch let error as PostgresError where error.meansStaleSchema {
            try await database.reloadSchema()
            return try await body(plans.plan(for: self, in: database.schema))
        }
    }
}

extension PostgresError {
    /// Undefined table or column: the catalog has changed since it was read (PostgreSQL manual, Appendix A).
    var meansStaleSchema: Bool {
        state == .undefinedTable || state == .undefinedColumn
    }
}
