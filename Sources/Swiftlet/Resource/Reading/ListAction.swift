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
        var filter = Parameters()
        conditions.bind(to: &filter)
        var page = filter
        page.append(query.limit)
        page.append(query.offset)
        if let parent, let parentKey { try parent.bind(parentKey, context.tenant, to: &filter) }
        let pair = try await context.queryPair(
            listStatement(conditions, query.order),
            page,
            countStatement(conditions, scopeLength: scope.conditions.count, parent),
            filter
        )
        if parent != nil, pair.second.text(0, 1 + plan.read.counts.count) != "t" { throw APIError.notFound }
        return envelope(pair.first, pair.second, query)
    }

    private func listStatement(_ conditions: [Condition], _ order: [OrderTerm]) -> Statement {
        let shape = StatementShape(verb: .list, conditions: conditions, order: order)
        return call.statement(shape) { $0.list(conditions.shapes, order) }
    }

    private func countStatement(_ conditions: [Condition], scopeLength: Int, _ parent: ParentSQL?) -> Statement {
        let shape = StatementShape(verb: .count, conditions: conditions, scopeLength: scopeLength)
        return call.statement(shape, parent: parent) { $0.count(conditions.shapes, scopeLength: scopeLength) }
    }

    private func envelope(_ rows: borrowing Rows, _ counts: borrowing Rows, _ query: ListQuery) -> Response {
        let total = query.total(counted: Int(counts.text(0, 0)) ?? 0, rows: rows.count)
        var json = JSONWriter(minimumCapacity: 128 + rows.count * plan.read.row.template.usualBytes)
        json.writeRaw(#"{"data":["#)
        RowJSON(plan.read.row).writeObjects(rows, 0..<rows.count, to: &json)
        json.writeRaw("]")
        json.writeRawMember("total", total)
        json.writeRawMember("page", query.page)
        json.writeRawMember("limit", query.limit)
        json.writeRaw(total - rows.count > query.offset ? #","has_more":true"# : #","has_more":false"#)
        for (position, field) in plan.read.counts.enumerated() {
            json.writeRawMember(field.key, Int(counts.text(0, 1 + position)) ?? 0)
        }
        json.writeRaw("}")
        return Response(json: json.finish())
    }
}

extension ListQuery {
    /// The two statements can see different moments. What the client gets are the rows, so where they end the list, they
    /// decide.
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

extension JSONWriter {
    /// `,"key":value`, behind members that were written raw.
    fileprivate mutating func writeRawMember(_ key: String, _ value: Int) {
        writeRaw(",\"")
        writeRaw(key.utf8.span)
        writeRaw("\":")
        writeRaw(String(value).utf8.span)
    }
}
