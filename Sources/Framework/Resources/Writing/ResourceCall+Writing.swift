import SwiftletBytes
import SwiftletPostgres
import SwiftletWeb

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
    /// tenant. The parent of a new row is left to the statement that inserts the row. `row` is the row as it is, for
    /// references of several columns of which only some change.
    func requireReferences(_ bound: BoundChange, row: JSONObject? = nil) async throws {
        let references = plan.write.references
        guard !references.isEmpty else { return }
        let parent = bound.action == .create ? resource.rules.parent?.foreignKey.name : nil
        var chosen: [TenantReference] = []
        var parameters = Parameters()
        for reference in references where reference.columns != parent.map({ [$0] }) {
            guard reference.columns.contains(where: bound.isChosen), !isCaller(reference, bound),
                let key = try self.key(of: reference, bound, row)
            else { continue }
            guard try reference.bind(key, context, to: &parameters) else {
                throw unusable([reference], bound)
            }
            chosen.append(reference)
        }
        guard !chosen.isEmpty else { return }
        let shape = StatementKey(verb: .references, columns: chosen.map { $0.columns.joined(separator: ",") })
        let statement = plan.statements.statement(shape) { ResourceSQL.references(chosen) }
        let rows = try await context.query(statement, parameters)
        let missing = chosen.indices.filter { String(utf8: rows.cell(0, $0)) != "t" }
        guard missing.isEmpty else { throw unusable(missing.map { chosen[$0] }, bound) }
    }

    /// Whether a hook names the caller, who may be of another tenant than the one that they work in.
    private func isCaller(_ reference: TenantReference, _ bound: BoundChange) -> Bool {
        guard let column = reference.columns.first, reference.columns.count == 1, bound.sentName(of: column) == nil,
            let caller = context.identity?.id
        else { return false }
        return bound.value(of: column) == caller
    }

    /// What the row will have in the reference's columns; nil if one of them is NULL, as PostgreSQL then looks for no
    /// row (manual, CREATE TABLE, MATCH SIMPLE). Throws 400 if the database would fill one on its own.
    private func key(
        of reference: TenantReference,
        _ bound: BoundChange,
        _ row: JSONObject?
    ) throws(APIError) -> [String]? {
        var values: [String] = []
        var isWhole = true
        var filled: String?
        for column in reference.columns {
            if let value = bound.value(of: column) {
                values.append(value)
            } else if bound.writes(column) {
                isWhole = false
            } else if bound.action == .create, reference.filledByDatabase.contains(column) {
                filled = column
            } else if let value = row?[column], let text = value.keyText {
                values.append(text)
            } else {
                isWhole = false
            }
        }
        guard isWhole else { return nil }
        if let filled { throw .validation([plan.fieldName(of: filled): "is required"]) }
        return values
    }

    /// Names the columns at fault: of several, those that were to change.
    private func unusable(_ references: [TenantReference], _ bound: BoundChange) -> APIError {
        let columns = references.flatMap(\.columns).filter(bound.isChosen)
        return .unusable(columns.map { bound.sentName(of: $0) ?? plan.fieldName(of: $0) })
    }

    /// Reads the row of that key behind the change that made it what it is: whose it is alone decides, as the change
    /// may have taken it out of the caller's reach.
    func readBack(_ key: String) throws -> StatementCall {
        let conditions = [try table.scope.equals(context), Condition.equals(table.key, table.keyKind, key)]
        let statement = statement(StatementKey(verb: .get, conditions: conditions)) { $0.get(conditions.shapes) }
        return StatementCall(statement, conditions.parameters)
    }

    /// The row that was read behind its change; nil if nothing was changed. A trigger may have given it another key, so
    /// that it is read once more by that: the change has been made.
    func row(readBack: RowsBox, changed: RowsBox, writing bound: BoundChange) async throws -> Rows? {
        let changed = try changed.take()
        guard changed.count > 0 else { return nil }
        let rows = try readBack.take()
        if rows.count > 0 { return rows }
        let key = String(utf8: changed.cell(0, 0))
        let moved = try await run(self.readBack(key), writing: bound)
        if moved.count > 0 { return moved }
        return nil
    }

    /// Errors of a stale schema are rethrown for the caller to reload it; others name columns as the client does.
    func run(
        _ call: StatementCall,
        writing bound: BoundChange? = nil,
        in parent: ParentCall? = nil
    ) async throws -> Rows {
        do throws(PostgresError) {
            return try await context.query(call.statement, call.parameters)
        } catch {
            if parent?.isMissing(error, at: nil, count: 0) == true { throw APIError.notFound }
            throw fault(error, bound)
        }
    }

    /// The same for statements in one round trip, which take effect together. Throws 404 if there is no `parent`, for
    /// which the first `count` are.
    func run(
        _ calls: [StatementCall],
        writing bound: BoundChange,
        in parent: ParentCall? = nil,
        count: Int = 0
    ) async throws -> [RowsBox] {
        do throws(StatementGroupError) {
            return try await context.queryGroup(calls)
        } catch {
            if parent?.isMissing(error.error, at: error.index, count: count) == true { throw APIError.notFound }
            throw fault(error.error, bound)
        }
    }

    private func fault(_ error: PostgresError, _ bound: BoundChange?) -> any Error {
        let answer = APIError(error, bound, self)
        let isClients = error.meansNewType && bound?.isChecked(for: table) != true
        let mayBeStale = error.meansStaleSchema || error.meansNewColumn(in: table) && !isClients
        // The log needs the cause of a server error.
        return mayBeStale || answer.status.rawValue >= 500 ? error : answer
    }
}

extension JSONValue {
    /// The text of a value that can be part of a key; nil for null.
    fileprivate var keyText: String? {
        string ?? number?.text ?? bool?.description
    }
}
