import Postgres

/// Lists one page with its exact total: two statements in one round trip.
struct ListAction {
    let call: ResourceCall

    private var plan: ResourcePlan { call.plan }
    private var context: Context { call.context }

    func run(_ query: ListQuery, parentKey: String?) async throws -> Response {
        let scope = try ResourceScope(call, parentKey: parentKey)
        let conditions = scope.conditions + query.conditions
        let parent = try parentKey.map { _ in try plan.requireParentTable() }
        if parent != nil, scope.conditions.areImpossible { throw APIError.notFound }
        var filter = conditions.parameters
        var page = filter
        page.append(query.paging.limit)
        page.append(query.paging.offset)
        if let parent, let parentKey { try parent.bind(parentKey, context.tenant, to: &filter) }
        let pair = try await context.queryPair(
            listStatement(conditions, query.order),
            page,
            countStatement(conditions, scopeLength: scope.conditions.count, parent),
            filter
        )
        if parent != nil, pair.second.text(0, 1 + plan.read.counts.count) != "t" { throw APIError.notFound }
        return response(pair.first, pair.second, query.paging)
    }

    private func listStatement(_ conditions: [Condition], _ order: [OrderTerm]) -> Statement {
        let shape = StatementShape(verb: .list, conditions: conditions, order: order)
        return call.statement(shape) { $0.list(conditions.shapes, order) }
    }

    private func countStatement(_ conditions: [Condition], scopeLength: Int, _ parent: ParentSQL?) -> Statement {
        let shape = StatementShape(verb: .count, conditions: conditions, scopeLength: scopeLength)
        return call.statement(shape, parent: parent) { $0.count(conditions.shapes, scopeLength: scopeLength) }
    }

    private func response(_ rows: borrowing Rows, _ counts: borrowing Rows, _ paging: Paging) -> Response {
        let total = paging.total(counted: Int(counts.text(0, 0)) ?? 0, rows: rows.count)
        var json = JSONWriter(minimumCapacity: 128 + rows.count * plan.read.row.template.usualBytes)
        json.beginListEnvelope()
        RowJSON(plan.read.row).writeObjects(rows, 0..<rows.count, to: &json)
        json.endListRows(count: rows.count, total: total, paging)
        for (position, field) in plan.read.counts.enumerated() {
            json.writeListMember(field.key, Int(counts.text(0, 1 + position)) ?? 0)
        }
        json.endListEnvelope()
        return Response(json: json.finish())
    }

    /// The page of a table that the database lacks: no rows, and each of `counts` is 0.
    static func emptyPage(_ paging: Paging, _ counts: [CountField]) -> Response {
        var json = JSONWriter(minimumCapacity: 128)
        json.beginListEnvelope()
        json.endListRows(count: 0, total: 0, paging)
        for field in counts { json.writeListMember(field.key, 0) }
        json.endListEnvelope()
        return Response(json: json.finish())
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
