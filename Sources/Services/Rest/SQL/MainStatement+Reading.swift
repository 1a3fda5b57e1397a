import SwiftletPostgres
extension MainStatement {
    /// A read of a relation, with its rows counted beyond the page where that is asked for.
    static func reading(
        _ plan: ReadPlan,
        of relation: QualifiedName,
        _ ending: Ending,
        _ total: RestPlan.RowTotal?
    ) -> MainStatement {
        let limit: Int?? =
            switch total {
            case .exact: .some(nil)
            // One more than counts, so that it shows whether there are more.
            case .estimated(let limit): .some(limit + 1)
            case .planned, nil: nil
            }
        var statement = MainStatement(isReadOnly: true)
        var ending = ending
        if limit != nil, plan.readsAll {
            ending.total = "count(*)"
        } else if let limit {
            statement.text.add("WITH \"swiftlet_all\" AS (")
            statement.text.addRowsToCount(plan, from: .relation(relation))
            if let limit { statement.text.add(" LIMIT \(limit)") }
            statement.text.add(") ")
            ending.total = "(SELECT count(*) FROM \"swiftlet_all\")"
        }
        statement.addAnswer(ending)
        statement.text.add(" FROM (")
        var page = plan
        let isCut = ending.isBounded && (plan.restriction.limit ?? .max) > AnswerBound.rows
        if isCut { page.restriction.limit = nil }
        statement.text.addSelect(page, from: .relation(relation))
        if isCut { statement.text.add(" LIMIT \(AnswerBound.rows + 1)") }
        statement.text.add(") AS \(rows)")
        return statement
    }

    /// What PostgreSQL thinks that the rows are, as `EXPLAIN` in JSON.
    static func estimate(_ plan: ReadPlan, of relation: QualifiedName) -> StatementText {
        var text = StatementText()
        text.add("EXPLAIN (FORMAT JSON) ")
        text.addRowsToCount(plan, from: .relation(relation))
        return text
    }
}

extension StatementText {
    /// A row for each that satisfies the conditions, whatever page of them is asked for.
    mutating func addRowsToCount(_ plan: ReadPlan, from source: Source) {
        var plan = plan.counted
        plan.restriction.limit = nil
        plan.restriction.offset = nil
        addSelect(plan, from: source)
    }
}

extension ReadPlan {
    /// Whether its rows are all that are counted, so that nothing else has to be.
    var readsAll: Bool { restriction.limit == nil && (restriction.offset ?? 0) == 0 && !isGrouped }

    /// The same rows without their columns: it matters only how many there are, and of relations that are embedded
    /// whether there is one. So PostgreSQL can plan these as semijoins, and guesses how many as PostgREST does.
    fileprivate var counted: ReadPlan {
        var plan = self
        plan.isCounted = true
        plan.items = []
        plan.restriction.order = []
        if restriction.limit != 0 { plan.restriction.limit = nil }
        plan.embeds = embeds.compactMap { embed in
            // What is neither required nor asked about changes no count.
            guard embed.isInner || restriction.conditions.contains(where: { $0.names(embed.name) }) else { return nil }
            // Aggregates make a row of none, unless it is the parent that makes them.
            if embed.plan.isGrouped, !embed.isFlat { return embed }
            var embed = embed
            embed.plan = embed.plan.counted
            return embed
        }
        return plan
    }
}

extension LogicTree {
    func names(_ name: String) -> Bool {
        switch self {
        case .filter(let filter): filter.field.name == name
        case .all(let conditions, _), .any(let conditions, _): conditions.contains { $0.names(name) }
        }
    }
}
