import SwiftletBytes
import SwiftletPostgres
import SwiftletWeb

/// Checks whether a caller can reach a row, and decides between 403 and 404 if not.
extension Resource {
    /// Statements only check that the parent belongs to the tenant; its other restrictions, and those of its own
    /// parents, are checked here. Throws ``APIError`` 403 or 404.
    func requireReachableParent(_ key: String?, _ context: Context) async throws {
        guard let key, let parent = rules.parent, parent.hidesRows else { return }
        try await parent.requireRow([key], context)
    }

    /// The same before one row is used. Without `parentKey`, the row itself tells its parent.
    func requireReachableParent(_ parentKey: String?, of key: String, _ context: Context) async throws {
        if parentKey == nil, rules.parent?.hidesRows == true {
            try await requireRow(key, context)
        } else {
            try await requireReachableParent(parentKey, context)
        }
    }

    /// Those of `keys` whose parents the caller can reach.
    func withReachableParents(_ keys: [String], _ context: Context) async throws -> [String] {
        guard rules.parent?.hidesRows == true else { return keys }
        var reachable: [String] = []
        for key in keys {
            do {
                try await requireRow(key, context)
                reachable.append(key)
            } catch let error as APIError where error == .notFound || error == .forbidden {
                continue
            }
        }
        return reachable
    }

    /// Throws unless the caller can reach the row `path.last`, which must belong to the row before it in `path`, and so
    /// on.
    func requireRow(_ path: [String], _ context: Context) async throws {
        guard let key = path.last else { return }
        let above = path.dropLast()
        guard let parent = rules.parent, let parentKey = above.last else {
            return try await requireRow(key, context)
        }
        try await requireRow(key, context, parentKey: parentKey)
        try await parent.requireRow(Array(above), context)
    }

    private func requireRow(_ key: String, _ context: Context, parentKey: String? = nil) async throws {
        let parentFound = try await withPlan(context) { plan in
            let call = try ResourceCall(self, plan, context)
            let column = rules.parent?.foreignKey.name
            // Without the column that names the parent there are no children.
            if let column, !call.table.has(column) { throw APIError.notFound }
            guard let found = try await call.find(column, call.row(key, parentKey: parentKey)) else {
                throw try await absence(of: key, context, parentKey: parentKey)
            }
            return found
        }
        // With a parent key, the caller checks the rest of the path. A row without a parent is hidden by none.
        if parentKey == nil, !parentFound.isEmpty { try await requireReachableParent(parentFound, context) }
    }

    /// The error for a row that was not found: 403 if it exists but the caller's role only allows own rows, else 404.
    /// Rows of other tenants are never looked up.
    func absence(of key: String, _ context: Context, parentKey: String?) async throws -> APIError {
        guard let rule = rules.ownRowsOnly, try rule.binds(context.user) else { return .notFound }
        let found = try await withPlan(context) { plan in
            let call = try ResourceCall(self, plan, context)
            return try await call.find(nil, call.row(key, parentKey: parentKey, ofAnyone: true))
        }
        return found == nil ? .notFound : .forbidden
    }

    /// Whether some rows of the tenant can be out of a caller's reach.
    var hidesRows: Bool {
        scope.owner != nil || rules.ownRowsOnly != nil || rules.hasSoftDelete || !rules.only.isEmpty
            || rules.parent?.hidesRows == true
    }
}

extension ResourceCall {
    /// The text of `column`, by default the key, in the row that matches `conditions`: empty for NULL, nil if there is
    /// none.
    fileprivate func find(_ column: String?, _ conditions: [Condition]) async throws -> String? {
        guard !conditions.areImpossible else { return nil }
        let column = column ?? table.key
        let shape = StatementKey(verb: .find, conditions: conditions, columns: [column])
        let statement = statement(shape) { $0.find(column, conditions.shapes) }
        let rows = try await context.query(statement, conditions.parameters)
        return rows.count > 0 ? String(utf8: rows.cell(0, 0)) : nil
    }
}
