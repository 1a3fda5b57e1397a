extension MainStatement {
    /// A read of a relation. With `limit` all its rows are counted, up to so many.
    static func reading(
        _ plan: ReadPlan,
        of relation: QualifiedName,
        _ ending: Ending,
        countsUpTo limit: Int??
    ) -> MainStatement {
        var statement = MainStatement(isReadOnly: true)
        var ending = ending
        if let limit, limit == nil, plan.isUnlimited {
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
        statement.text.addSelect(plan, from: .relation(relation))
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
        var plan = plan
        plan.items = []
        plan.restriction.limit = nil
        plan.restriction.offset = nil
        plan.restriction.order = []
        // What is neither required nor asked about changes no count.
        plan.embeds.removeAll { embed in
            !embed.isInner && !plan.restriction.conditions.contains { $0.names(embed.name) }
        }
        addSelect(plan, from: source)
    }
}

extension ReadPlan {
    /// Its rows are all that satisfy the conditions.
    var isUnlimited: Bool { restriction.limit == nil && restriction.offset == nil && !isGrouped }
}

extension Condition {
    func names(_ name: String) -> Bool {
        switch self {
        case .filter(let filter): filter.field.name == name
        case .all(let conditions, _), .any(let conditions, _): conditions.contains { $0.names(name) }
        }
    }
}
