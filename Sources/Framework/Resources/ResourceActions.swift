import Logging
import SwiftletPostgres
public import SwiftletWeb

/// The verbs of a resource: list, get, create, update, delete, and the same for many rows at once.
///
/// Every statement starts from a ``ResourceScope``. If PostgreSQL reports a missing table or column, the schema cache
/// is reloaded and the statement, or the transaction that it is in, is tried once more. All of them throw ``APIError``
/// or ``PostgresError``. What they return becomes a response only by its `response()`.
extension Resource {
    /// The page that the request's query asks for, with no rows if the table does not exist.
    ///
    /// Throws 400 that names every query parameter at fault, and 404 if `parentKey` is not a parent that the caller can
    /// reach. Without `parentKey`, the children of all parents of the tenant are listed.
    public func list(_ request: Request, in context: Context, parentKey: String? = nil) async throws -> ResourcePage {
        try await requireReachableParent(parentKey, context)
        return try await withPlan(context) { plan in
            guard let call = try? ResourceCall(self, plan, context) else { return try emptyPage(request, context) }
            let query = try ListQuery(request.query, plan, caller: context.identity?.id ?? "")
            return try await ListAction(call: call).run(query, parentKey: parentKey)
        }
    }

    /// The row of that key. Throws 404 if the caller cannot reach it.
    public func get(_ key: String, in context: Context, parentKey: String? = nil) async throws -> ResourceRow {
        try await requireReachableParent(parentKey, of: key, context)
        return try await withPlan(context) { plan in
            let (statement, parameters) = try GetAction.prepare(key, self, plan, context, parentKey: parentKey)
            let rows = try await context.query(statement, parameters)
            guard rows.count > 0 else { throw try await absence(of: key, context, parentKey: parentKey) }
            return ResourceRow(rows, plan.read.layout)
        }
    }

    /// The new row, with the values of the request's body. Throws 400 that names every field at fault, and 409 for a key
    /// that is taken.
    ///
    /// Unknown keys are in ``ResourceRow/ignoredFields``, or refused with 400 if the request has `Prefer:
    /// handling=strict`. For a response, `create(request, in: context).response(.created)`.
    @discardableResult
    public func create(_ request: Request, in context: Context, parentKey: String? = nil) async throws -> ResourceRow {
        let isStrict = request.prefersStrictHandling
        return try await create(request.jsonObject(), in: context, parentKey: parentKey, isStrict: isStrict)
    }

    /// The same with values from a handler, under the keys that clients use. Read-only columns are
    /// ignored here as well; set those in a ``Before`` hook. If `isStrict`, unknown keys
    /// are refused with 400 instead of ignored.
    @discardableResult
    public func create(
        _ values: JSONObject,
        in context: Context,
        parentKey: String? = nil,
        isStrict: Bool = false
    ) async throws -> ResourceRow {
        try await requireReachableParent(parentKey, context)
        return try await withLines(values, context) { context in
            try await withPlan(context) { plan in
                let create = CreateAction(call: try ResourceCall(self, plan, context))
                return try await create.run(values, parentKey: parentKey, isStrict: isStrict)
            }
        } then: { row, context in
            try await runAfterHooks(.create, row, context)
        }
    }

    /// The same for a child of `parent`, which is a row of the parent's resource:
    /// `lines.create(line, in: context, parent: order)`. Throws 500 for a row of another one.
    @discardableResult
    public func create(_ values: JSONObject, in context: Context, parent: ResourceRow) async throws -> ResourceRow {
        guard parent.table == rules.parent?.table else {
            context.logger.error(
                "a row was not made, as its parent is of another table",
                metadata: ["resource.table": "\(table)", "parent.table": "\(parent.table)"]
            )
            throw APIError.internal
        }
        return try await create(values, in: context, parentKey: parent.key)
    }

    /// The row as it is after the update. Absent keys keep their values, `null` clears. Unknown keys are named or refused
    /// as by ``create(_:in:parentKey:)``.
    @discardableResult
    public func update(
        _ key: String,
        _ request: Request,
        in context: Context,
        parentKey: String? = nil
    ) async throws -> ResourceRow {
        let isStrict = request.prefersStrictHandling
        return try await update(key, request.jsonObject(), in: context, parentKey: parentKey, isStrict: isStrict)
    }

    /// The same with values from a handler, under the keys that clients use. Read-only columns are
    /// ignored here as well; set those in a ``Before`` hook. If `isStrict`, unknown keys
    /// are refused with 400 instead of ignored.
    @discardableResult
    public func update(
        _ key: String,
        _ values: JSONObject,
        in context: Context,
        parentKey: String? = nil,
        isStrict: Bool = false
    ) async throws -> ResourceRow {
        try await requireReachableParent(parentKey, of: key, context)
        var isWritten = false
        return try await withLines(values, context, replaces: true) { context in
            let update = try await updating(context) { plan, context in
                let update = UpdateAction(call: try ResourceCall(self, plan, context))
                return try await update.one(key, values, parentKey: parentKey, isStrict: isStrict)
            }
            switch update {
            case .written(let row):
                isWritten = true
                return row
            case .nothing(let ignored):
                return try await get(key, in: context, parentKey: parentKey).ignoring(ignored)
            }
        } then: { row, context in
            if isWritten { try await runAfterHooks(.update, row, context) }
        }
    }

    /// Deletes the row; false if there is none, or no longer. Apps repeat requests whose response was lost, so that is no
    /// error. Throws 404 if the database lacks the table, as its rows may come back with it.
    @discardableResult
    public func delete(_ key: String, in context: Context, parentKey: String? = nil) async throws -> Bool {
        do {
            try await requireReachableParent(parentKey, of: key, context)
        } catch let error as APIError where error == .notFound {
            return false
        }
        let deleted = try await deleteRows([key], context, parentKey)
        if deleted == 0, try await absence(of: key, context, parentKey: parentKey) == .forbidden {
            throw APIError.forbidden
        }
        return deleted > 0
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
        in context: Context
    ) async throws -> Int {
        try await updating(context) { plan, context in
            guard let call = try? ResourceCall(self, plan, context) else { return 0 }
            return try await UpdateAction(call: call).all(where: column.name, is: current, values)
        }
    }

    /// Updates the rows of `keys` that the caller can reach, with values under the keys that clients use. One statement,
    /// after those that look for hidden parents; one for each row if hooks, or foreign keys of several columns, must see
    /// it first.
    ///
    /// Unknown keys are in ``UpdatedRows/ignoredFields``, or refused with 400 if `isStrict`, which is
    /// `request.prefersStrictHandling` where they come from a request.
    @discardableResult
    public func updateMany(
        _ keys: [String],
        _ values: JSONObject,
        in context: Context,
        isStrict: Bool = false
    ) async throws -> UpdatedRows {
        let keys = try await withReachableParents(keys, context)
        return try await updating(context) { plan, context in
            let call = try ResourceCall(self, plan, context)
            return try await UpdateAction(call: call).many(keys, values, isStrict: isStrict)
        }
    }

    /// Deletes the rows of `keys` that the caller can reach; returns their number. One statement, after those that look
    /// for hidden parents.
    @discardableResult
    public func deleteMany(_ keys: [String], in context: Context, parentKey: String? = nil) async throws -> Int {
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
        let plan = self.plan(in: database.schema)
        guard plan.write.readsRowBeforeUpdate else {
            return try await withPlan(context) { try await update($0, context) }
        }
        return try await context.transaction { context in
            try await withPlan(context) { try await update($0, context) }
        }
    }

    /// Runs outside of ``withPlan(_:_:)``, so that nothing a hook throws makes it write the row again.
    private func runAfterHooks(_ action: WriteAction, _ row: ResourceRow, _ context: Context) async throws {
        for hook in rules.after where hook.actions.contains(action) {
            try await hook.run(row, context)
        }
    }

    /// If the database lacks the table or its key, clients see an empty list instead of an error; in development, an
    /// error.
    private func emptyPage(_ request: Request, _ context: Context) throws(APIError) -> ResourcePage {
        try context.noteMissingTable(table)
        return ResourcePage(nil, total: 0, counts: rules.counts.map { ($0.key, 0) }, Paging(request.query))
    }

    func withPlan<Result>(
        _ context: Context,
        _ body: (ResourcePlan) async throws -> Result
    ) async throws -> Result {
        let database = context.server.database
        let schema = database.schema
        let plan = self.plan(in: schema)
        do {
            // The server accepts requests before it has read the catalog, and the table may be new.
            if plan.table == nil, try await database.reloadSchemaAfterMiss(version: schema.version) {
                return try await body(self.plan(in: database.schema))
            }
            return try await body(plan)
        } catch let error as PostgresError where !context.isInTransaction {
            let isNew = plan.table.map { error.meansNewColumn(in: $0) } ?? false
            guard try await database.hasChanged(since: schema, after: error, meansNewColumn: isNew) else { throw error }
            return try await body(self.plan(in: database.schema))
        }
    }
}
