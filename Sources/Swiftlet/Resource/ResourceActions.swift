import Logging
import Postgres

/// The verbs of a resource: list, get, create, update, delete, and the same for many rows at once.
///
/// Every statement starts from a ``ResourceScope``. If PostgreSQL reports a missing table or column, the schema cache
/// is reloaded and the statement, or the transaction that it is in, is tried once more. All of them throw ``APIError``
/// or ``PostgresError``.
extension Resource {
    /// 200 `{"data":[…],"total":N,"page":1,"limit":25,"has_more":false}`, with no rows if the table does not exist.
    ///
    /// 400 names every query parameter at fault; 404 if `parentKey` is not a parent that the caller can reach. Without
    /// `parentKey`, the children of all parents of the tenant are listed.
    public func list(_ request: Request, _ context: Context, parentKey: String? = nil) async throws -> Response {
        try await requireReachableParent(parentKey, context)
        return try await withPlan(context) { plan in
            guard let call = try? ResourceCall(self, plan, context) else { return missingList(request, context) }
            let query = try ListQuery(request.query, plan, caller: context.identity?.id ?? "")
            return try await ListAction(call: call).run(query, parentKey: parentKey)
        }
    }

    /// 200 with the row as a bare object; 404 if the caller cannot reach it.
    public func get(_ key: String, _ context: Context, parentKey: String? = nil) async throws -> Response {
        try await requireReachableParent(parentKey, of: key, context)
        return try await withPlan(context) { plan in
            let (statement, parameters) = try GetAction.prepare(key, self, plan, context, parentKey: parentKey)
            let rows = try await context.query(statement, parameters)
            guard rows.count > 0 else { throw try await absence(of: key, context, parentKey: parentKey) }
            return Response.row(rows, plan, .ok)
        }
    }

    /// 201 with the new row as a bare object; 400 names every field at fault, 409 a key that is taken.
    ///
    /// Unknown keys are named in `X-Ignored-Fields`, or refused with 400 if the request has `Prefer: handling=strict`.
    public func create(_ request: Request, _ context: Context, parentKey: String? = nil) async throws -> Response {
        let isStrict = request.prefersStrictHandling
        return try await create(request.jsonObject(), context, parentKey: parentKey, isStrict: isStrict)
    }

    /// The same with values from a handler, under the keys that clients use. Read-only columns are
    /// ignored here as well; set those in a ``before(_:run:)`` hook. If `isStrict`, unknown keys
    /// are refused with 400 instead of ignored.
    public func create(
        _ values: JSONObject,
        _ context: Context,
        parentKey: String? = nil,
        isStrict: Bool = false
    ) async throws -> Response {
        try await requireReachableParent(parentKey, context)
        let response = try await withPlan(context) { plan in
            let create = CreateAction(call: try ResourceCall(self, plan, context))
            return try await create.run(values, parentKey: parentKey, isStrict: isStrict)
        }
        try await runAfterHooks(.create, response, context)
        return response
    }

    /// The same for a child of `parent`, which is a row as the parent's resource has answered it:
    /// `lines.create(line, context, parent: order)`.
    public func create(_ values: JSONObject, _ context: Context, parent: JSONObject) async throws -> Response {
        let key = rules.parent?.resource.key(of: parent, context)
        return try await create(values, context, parentKey: key)
    }

    /// The text of a row's key, in a response.
    private func key(of row: JSONObject, _ context: Context) -> String? {
        let plan = plans.plan(for: self, in: context.server.database.schema)
        let value = plan.table.flatMap { row[plan.fieldName(of: $0.key)] }
        return value?.string ?? value?.number?.text
    }

    /// 200 with the updated row as a bare object. Absent keys keep their values, `null` clears. Unknown keys are named
    /// or refused as by ``create(_:_:parentKey:)``.
    public func update(
        _ key: String,
        _ request: Request,
        _ context: Context,
        parentKey: String? = nil
    ) async throws -> Response {
        let isStrict = request.prefersStrictHandling
        return try await update(key, request.jsonObject(), context, parentKey: parentKey, isStrict: isStrict)
    }

    /// The same with values from a handler, under the keys that clients use. Read-only columns are
    /// ignored here as well; set those in a ``before(_:run:)`` hook. If `isStrict`, unknown keys
    /// are refused with 400 instead of ignored.
    public func update(
        _ key: String,
        _ values: JSONObject,
        _ context: Context,
        parentKey: String? = nil,
        isStrict: Bool = false
    ) async throws -> Response {
        try await requireReachableParent(parentKey, of: key, context)
        let update = try await updating(context) { plan, context in
            let update = UpdateAction(call: try ResourceCall(self, plan, context))
            return try await update.one(key, values, parentKey: parentKey, isStrict: isStrict)
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

    /// 200 `{"success":true}`, also if the row is already gone: apps repeat requests whose response was lost. Throws
    /// 404 if the database lacks the table, as its rows may come back with it.
    public func delete(_ key: String, _ context: Context, parentKey: String? = nil) async throws -> Response {
        do {
            try await requireReachableParent(parentKey, of: key, context)
        } catch let error as APIError where error == .notFound {
            return .success
        }
        let deleted = try await deleteRows([key], context, parentKey)
        if deleted == 0, try await absence(of: key, context, parentKey: parentKey) == .forbidden {
            throw APIError.forbidden
        }
        return .success
    }

    /// Updates every row that the caller can reach and whose `column` equals `current`; returns their number. Children
    /// are updated whatever hides their parents.
    ///
    /// No row has null, or a value that the column's type cannot hold.
    @discardableResult
    public func updateAll(
        where column: Identifier,
        is current: JSONValue,
        _ values: JSONObject,
        _ context: Context
    ) async throws -> Int {
        try await updating(context) { plan, context in
            guard let call = try? ResourceCall(self, plan, context) else { return 0 }
            return try await UpdateAction(call: call).all(where: column.name, is: current, values)
        }
    }

    /// Updates the rows of `keys` that the caller can reach: 200 with `{"success":true,"updated":N}`. One statement,
    /// after those that look for hidden parents; one for each row if hooks, or foreign keys of several columns, must see
    /// it first.
    ///
    /// `values` is the part of the request's body that says what to change, under the keys that clients use. Unknown
    /// keys are named in `X-Ignored-Fields`, or refused, as in an update of one row.
    public func updateMany(
        _ keys: [String],
        _ values: JSONObject,
        _ request: Request,
        _ context: Context
    ) async throws -> Response {
        let isStrict = request.prefersStrictHandling
        let keys = try await withReachableParents(keys, context)
        return try await updating(context) { plan, context in
            let call = try ResourceCall(self, plan, context)
            return try await UpdateAction(call: call).many(keys, values, isStrict: isStrict)
        }
    }

    static func updated(_ count: Int) -> Response {
        .json(.ok, ["success": true, "updated": JSONValue(count)])
    }

    /// Deletes the rows of `keys` that the caller can reach; returns their number. One statement, after those that look
    /// for hidden parents.
    @discardableResult
    public func deleteMany(_ keys: [String], _ context: Context, parentKey: String? = nil) async throws -> Int {
        guard let parentKey else {
            return try await deleteRows(try await withReachableParents(keys, context), context)
        }
        do {
            try await requireReachableParent(parentKey, context)
        } catch let error as APIError where error == .notFound {
            return 0
        }
        return try await deleteRows(keys, context, parentKey)
    }

    private func deleteRows(_ keys: [String], _ context: Context, _ parentKey: String? = nil) async throws -> Int {
        try await withPlan(context) { plan in
            let call = try ResourceCall(self, plan, context)
            return try await DeleteAction(call: call).run(keys, parentKey: parentKey)
        }
    }

    /// In a transaction if each row is read before it changes.
    private func updating<Result>(
        _ context: Context,
        _ update: (ResourcePlan, Context) async throws -> Result
    ) async throws -> Result {
        let database = context.server.database
        // Requests are accepted before the catalog was read, which decides here.
        if database.schema.version == 0 { try await database.reloadSchema() }
        let plan = plans.plan(for: self, in: database.schema)
        guard plan.write.readsRowBeforeUpdate else {
            return try await withPlan(context) { try await update($0, context) }
        }
        return try await context.transaction { context in
            try await withPlan(context) { try await update($0, context) }
        }
    }

    /// Runs outside of ``withPlan(_:_:)``, so that nothing a hook throws makes it write the row again.
    private func runAfterHooks(_ action: WriteAction, _ response: Response, _ context: Context) async throws {
        let hooks = rules.after.filter { $0.actions.contains(action) }
        guard !hooks.isEmpty else { return }
        let row = try response.jsonObject()
        for hook in hooks {
            try await hook.run(row, context)
        }
    }

    /// If the database lacks the table, clients see an empty list instead of an error.
    private func missingList(_ request: Request, _ context: Context) -> Response {
        context.logger.warning("empty list: the table or its key is missing", metadata: ["resource.table": "\(table)"])
        return ListAction.emptyPage(Paging(request.query), rules.counts)
    }

    func withPlan<Result>(
        _ context: Context,
        _ body: (ResourcePlan) async throws -> Result
    ) async throws -> Result {
        let database = context.server.database
        let schema = database.schema
        let plan = plans.plan(for: self, in: schema)
        do {
            // The server accepts requests before it has read the catalog, and the table may be new.
            if plan.table == nil, try await database.reloadSchemaAfterMiss(version: schema.version) {
                return try await body(plans.plan(for: self, in: database.schema))
            }
            return try await body(plan)
        } catch let error as PostgresError where !context.isInTransaction {
            let isNew = plan.table.map { error.meansNewColumn(in: $0) } ?? false
            guard try await database.hasChanged(since: schema, after: error, meansNewColumn: isNew) else { throw error }
            return try await body(plans.plan(for: self, in: database.schema))
        }
    }
}
