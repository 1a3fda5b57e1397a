import SwiftletPostgres
import SwiftletWeb

/// Writes the SQL of a resource. Values only ever appear as placeholders.
struct ResourceSQL {
    private let plan: ResourcePlan
    private let table: PlannedTable
    /// Whose existence ``count(_:scopeLength:)`` tells.
    private let parent: ParentSQL?
    private var parameterCount = 0

    init(_ plan: ResourcePlan, _ table: PlannedTable, parent: ParentSQL? = nil) {
        self.plan = plan
        self.table = table
        self.parent = parent
    }

    /// Without a `limit` it is a parameter, as the offset is behind it; at the start there is no offset.
    mutating func list(
        _ conditions: [Condition.Shape],
        _ order: [SortKey],
        limit: Int?,
        isAtStart: Bool
    ) -> String {
        let filter = whereClause(conditions)
        let limit = limit.map(String.init) ?? placeholder()
        let offset = isAtStart ? "" : " OFFSET \(placeholder())"
        return """
            SELECT \(plan.read.selectList) FROM \(table.quotedName) t\(filter)\(orderClause(order)) \
            LIMIT \(limit)\(offset)
            """
    }

    /// `count(*)`, then each declared count over the first `scopeLength` conditions, then whether the parent exists, by
    /// its key and the tenant as the last two parameters.
    mutating func count(_ conditions: [Condition.Shape], scopeLength: Int) -> String {
        let filter = whereClause(conditions)
        var scope = ResourceSQL(plan, table)
        let scopeFilter = scope.whereClause(Array(conditions.prefix(scopeLength)))
        let counts = plan.read.counts.map { field in
            ", (SELECT count(*) FROM \(table.quotedName) t\(scopeFilter) AND (\(field.predicate)))"
        }
        // Parameters of their own, as the parent's columns may be of other types than the child's.
        let parentExists = parent.map { ", " + $0.exists(key: placeholder(), tenant: placeholder()) } ?? ""
        return "SELECT count(*)\(counts.joined())\(parentExists) FROM \(table.quotedName) t\(filter)"
    }

    mutating func get(_ conditions: [Condition.Shape]) -> String {
        "SELECT \(plan.read.selectList) FROM \(table.quotedName) t\(whereClause(conditions))"
    }

    mutating func find(_ column: String, _ conditions: [Condition.Shape]) -> String {
        "SELECT t.\(column.quotedIdentifier) FROM \(table.quotedName) t\(whereClause(conditions))"
    }

    /// Each row's key and the row itself. In the order of the keys, so that two changes of the same rows never wait for
    /// each other.
    mutating func lock(_ conditions: [Condition.Shape]) -> String {
        let key = "t.\(table.key.quotedIdentifier)"
        return """
            SELECT \(key), to_jsonb(t) FROM \(table.quotedName) t\(whereClause(conditions)) \
            ORDER BY \(key) FOR NO KEY UPDATE
            """
    }

    /// One column for each reference: whether the tenant has its row. Each has parameters of its own.
    static func references(_ references: [TenantReference]) -> String {
        var position = 1
        let terms = references.map { reference in
            defer { position += reference.parameterCount }
            return reference.exists(firstParameter: position)
        }
        return "SELECT " + terms.joined(separator: ", ")
    }

    /// What a change gives back.
    enum Returning {
        case nothing, key, row
    }

    private func text(_ returning: Returning) -> String {
        switch returning {
        case .nothing: ""
        case .key: " RETURNING t.\(table.key.quotedIdentifier)"
        case .row: " RETURNING \(plan.read.selectList)"
        }
    }

    mutating func insert(_ columns: [String], nowColumns: [String], returning: Returning) -> String {
        let names = (columns + nowColumns).map(\.quotedIdentifier).joined(separator: ", ")
        let values = (columns.map { placeholder(for: $0) } + nowColumns.map { _ in "now()" }).joined(separator: ", ")
        return "INSERT INTO \(table.quotedName) AS t (\(names)) VALUES (\(values))\(text(returning))"
    }

    mutating func update(
        _ columns: [String],
        nowColumns: [String],
        _ conditions: [Condition.Shape],
        returning: Returning
    ) -> String {
        let assignments =
            columns.map { "\($0.quotedIdentifier) = \(placeholder(for: $0))" }
            + nowColumns.map { "\($0.quotedIdentifier) = now()" }
        let assigned = assignments.joined(separator: ", ")
        let (locked, filter) = lockedRows(conditions, "FOR NO KEY UPDATE")
        return "\(locked)UPDATE \(table.quotedName) AS t SET \(assigned)\(filter)\(text(returning))"
    }

    mutating func delete(_ conditions: [Condition.Shape], isSoft: Bool) -> String {
        if isSoft { return update([], nowColumns: [Table.deletionTimeColumn], conditions, returning: .nothing) }
        let (locked, filter) = lockedRows(conditions, "FOR UPDATE")
        return "\(locked)DELETE FROM \(table.quotedName) AS t\(filter)"
    }

    /// Locks several rows in the order of their keys before they are changed: changes that overlap
    /// would otherwise lock each other out (PostgreSQL manual, 13.3.4). `strength` is that of the
    /// change itself (13.3.2). One row needs none.
    private mutating func lockedRows(
        _ conditions: [Condition.Shape],
        _ strength: String
    ) -> (prefix: String, filter: String) {
        let filter = whereClause(conditions)
        guard !conditions.contains(.equals(table.key)) else { return ("", filter) }
        let key = "t.\(table.key.quotedIdentifier)"
        let rows = "SELECT \(key) FROM \(table.quotedName) t\(filter) ORDER BY \(key) \(strength)"
        return ("WITH locked AS (\(rows)) ", "\(filter) AND \(key) IN (TABLE locked)")
    }

    private mutating func whereClause(_ conditions: [Condition.Shape]) -> String {
        let terms = conditions.map { term($0) }
        return terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
    }

    private mutating func term(_ condition: Condition.Shape) -> String {
        switch condition {
        case .equals(let column): return "t.\(column.quotedIdentifier) = \(placeholder(for: column))"
        case .anyOf(let column): return "t.\(column.quotedIdentifier) = ANY(\(placeholder(for: column, "[]")))"
        case .isNull(let column): return "t.\(column.quotedIdentifier) IS NULL"
        case .atLeast(let column): return "t.\(column.quotedIdentifier) >= \(placeholder(for: column))"
        case .atMost(let column): return "t.\(column.quotedIdentifier) <= \(placeholder(for: column))"
        case .before(let column): return "t.\(column.quotedIdentifier) < \(placeholder(for: column))"
        case .named(let filter): return "\(filter.condition)(\(placeholder())::text[]))"
        case .word(let filter): return "(\(filter.condition)(\(placeholder())))"
        case .notDeleted: return "t.\(Table.deletionTimeColumn.quotedIdentifier) IS NULL"
        case .never: return "FALSE"
        case .search:
            let pattern = placeholder()
            let terms = plan.query.searchColumns.map { "t.\($0.quotedIdentifier)::text ILIKE \(pattern)" }
            return "(" + terms.joined(separator: " OR ") + ")"
        case .shortSearch:
            let pattern = placeholder()
            let terms = plan.query.searchColumns.map { "(t.\($0.quotedIdentifier)::text || '') ILIKE \(pattern)" }
            return "(" + terms.joined(separator: " OR ") + ")"
        }
    }

    /// Ties are broken by the key, so that pages never overlap.
    private func orderClause(_ order: [SortKey]) -> String {
        var terms = order.map { "t.\($0.column.quotedIdentifier)\($0.isDescending ? " DESC NULLS LAST" : "")" }
        if !order.contains(where: { $0.column == table.key }) { terms.append("t.\(table.key.quotedIdentifier)") }
        return " ORDER BY " + terms.joined(separator: ", ")
    }

    private mutating func placeholder() -> String {
        parameterCount += 1
        return "$\(parameterCount)"
    }

    /// A `timestamp` column drops a written zone silently (PostgreSQL manual, 8.5.1.3), so the value is read with its
    /// zone first; sessions run in UTC.
    private mutating func placeholder(for column: String, _ dimension: String = "") -> String {
        let placeholder = placeholder()
        return table.columns[column] == .timestamp
            ? "CAST(CAST(\(placeholder) AS timestamptz\(dimension)) AS timestamp\(dimension))" : placeholder
    }
}
