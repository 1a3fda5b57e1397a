import SwiftletBytes
import SwiftletPostgres
import SwiftletWeb

/// Lists one page with its exact total: two statements in one round trip.
struct ListAction {
    let call: ResourceCall

    private var plan: ResourcePlan { call.plan }
    private var context: Context { call.context }

    func run(_ query: ListQuery, parentKey: String?) async throws -> ResourcePage {
        let scope = try ResourceScope(call, parentKey: parentKey)
        let conditions = scope.conditions + query.conditions
        let parent = try parentKey.map { _ in try plan.requireParentTable() }
        if parent != nil, scope.conditions.areImpossible { throw APIError.notFound }
        var filter = conditions.parameters
        var page = filter
        if query.paging.usualLimit == nil { page.append(query.paging.limit) }
        if !query.paging.isAtStart { page.append(query.paging.offset) }
        if let parent, let parentKey { try parent.bind(parentKey, context, to: &filter) }
        let pair = try await context.queryPair(
            listStatement(conditions, query),
            page,
            countStatement(conditions, scopeLength: scope.conditions.count, parent),
            filter
        )
        if parent != nil, pair.second.text(0, 1 + plan.read.counts.count) != "t" { throw APIError.notFound }
        return result(pair, query.paging)
    }

    private func listStatement(_ conditions: [Condition], _ query: ListQuery) -> Statement {
        let (order, limit, isAtStart) = (query.order, query.paging.usualLimit, query.paging.isAtStart)
        let shape = StatementKey(
            verb: .list,
            conditions: conditions,
            order: order,
            limit: limit,
            isAtStart: isAtStart
        )
        return call.statement(shape) { $0.list(conditions.shapes, order, limit: limit, isAtStart: isAtStart) }
    }

    private func countStatement(_ conditions: [Condition], scopeLength: Int, _ parent: ParentSQL?) -> Statement {
        let shape = StatementKey(verb: .count, conditions: conditions, scopeLength: scopeLength)
        return call.statement(shape, parent: parent) { $0.count(conditions.shapes, scopeLength: scopeLength) }
    }

    private func result(_ pair: consuming RowsPair, _ paging: Paging) -> ResourcePage {
        let total = paging.total(counted: Int(pair.second.text(0, 0)) ?? 0, rows: pair.first.count)
        var counts: [(key: String, value: Int)] = []
        for (position, field) in plan.read.counts.enumerated() {
            counts.append((field.key, Int(pair.second.text(0, 1 + position)) ?? 0))
        }
        let rows = pair.takeFirst()
        return ResourcePage(ResourceResult(rows, plan.read.layout), total: total, counts: counts, paging)
    }
}

extension Paging {
    /// The two statements can see different moments. What the client gets are the rows,
    /// so where they end the list, they decide.
    fileprivate func total(counted: Int, rows: Int) -> Int {
        // The offset can be as large as an `Int`, but then there are no rows.
        let end = offset &+ rows
        if rows == limit { return max(counted, end) }
        return rows > 0 ? end : min(counted, end)
    }
}

extension Rows {
    fileprivate func text(_ row: Int, _ column: Int) -> String {
        String(utf8: cell(row, column))
    }
}
