import SwiftletAuth
import SwiftletPostgres
import SwiftletWeb

/// The parent's part in the statements of a sub-resource.
struct ParentSQL: Sendable {
    let quotedName: String
    let key: String
    let keyKind: ColumnKind
    let scope: ScopeColumn
    let tallies: [ParentCounterCache]

    /// `children` is the table of the rows that have the parent. nil if the parent's table, key or scope column is
    /// missing.
    init?(_ rule: ParentRule, children: Table?, _ schema: Schema) {
        guard let table = schema.tables[rule.table], let key = table.rowKey(in: rule.scope),
            let column = ScopeColumn(of: table, rule.scope)
        else { return nil }
        quotedName = table.quotedName
        self.key = key.name
        keyKind = ColumnKind(key)
        self.scope = column
        tallies = rule.tallies.compactMap { tally in
            guard table.column(tally.parentColumn.name) != nil else { return nil }
            guard let name = tally.childColumn?.name else {
                return ParentCounterCache(parentColumn: tally.parentColumn.name, child: nil)
            }
            return children?.column(name).map { ParentCounterCache(parentColumn: tally.parentColumn.name, child: $0) }
        }
    }

    /// Binds the parent's key and the caller's scope. Throws 404 if its columns cannot hold them.
    func bind(_ key: String, _ context: Context, to parameters: inout Parameters) throws(APIError) {
        guard let key = try? keyKind.parameter(forText: key),
            let holder = try scope.parameter(in: context)
        else { throw .notFound }
        parameters.append(key)
        parameters.append(holder)
    }

    func exists(key keyParameter: String, tenant: String) -> String {
        "EXISTS (SELECT 1 FROM \(quotedName) p WHERE \(match(key: keyParameter, tenant: tenant)))"
    }

    /// `WITH parent AS (…) `: locks and tallies the parent in the statement that inserts its child.
    func withClause(key keyParameter: String, tenant: String, firstValue: Int, _ columns: [String]) -> String {
        let condition = match(key: keyParameter, tenant: tenant)
        let assignments = tallies.compactMap { tally -> String? in
            let column = Identifier.quote(tally.parentColumn)
            guard let child = tally.child else { return "\(column) = coalesce(p.\(column), 0) + 1" }
            guard let position = columns.firstIndex(of: child.name) else { return nil }
            let value = "CAST($\(firstValue + position + 1) AS \(child.type.name))"
            return "\(column) = coalesce(p.\(column), 0) + coalesce(\(value), 0)"
        }
        let match = "p.\(Identifier.quote(key))"
        if assignments.isEmpty {
            return "WITH parent AS (SELECT \(match) FROM \(quotedName) p WHERE \(condition) FOR KEY SHARE) "
        }
        return """
            WITH parent AS (UPDATE \(quotedName) AS p SET \(assignments.joined(separator: ", ")) \
            WHERE \(condition) RETURNING \(match)) 
            """
    }

    private func match(key keyParameter: String, tenant: String) -> String {
        "p.\(Identifier.quote(key)) = \(keyParameter) AND p.\(Identifier.quote(scope.name)) = \(tenant)"
    }
}

/// A parent's column that grows with each child: by the value of `child`, or by one.
struct ParentCounterCache: Sendable {
    let parentColumn: String
    let child: Column?
}
