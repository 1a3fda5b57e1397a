/// Resolves what is selected of a relation against the catalogue: which relationship each embedded relation means.
struct ReadPlanner {
    let catalogue: Catalogue
    let query: RestQuery
    let allowsAggregates: Bool
    let maximumRows: Int?
    private var aliases: Set<String> = []
    private var embedCount = 0

    /// More relations than anybody embeds in one request.
    private static let maximumEmbeds = 60
    /// The longest identifier of PostgreSQL, in bytes.
    private static let maximumNameBytes = 63

    init(_ catalogue: Catalogue, _ query: RestQuery, allowsAggregates: Bool, maximumRows: Int?) {
        self.catalogue = catalogue
        self.query = query
        self.allowsAggregates = allowsAggregates
        self.maximumRows = maximumRows
    }

    /// The plan for the relation of the request, or for the rows of a function. Throws ``RestError``.
    mutating func plan(_ relation: CatalogueRelation?, named name: String) throws(RestError) -> ReadPlan {
        let plan = try plan(relation, takeAlias(name), query.select, query.root, at: [])
        for path in query.embedded.keys { try check(path, in: plan) }
        return plan
    }

    private mutating func plan(
        _ relation: CatalogueRelation?,
        _ alias: String,
        _ selection: [SelectItem],
        _ restriction: Restriction,
        at path: [String]
    ) throws(RestError) -> ReadPlan {
        var plan = ReadPlan(relation: relation, alias: alias, items: [], restriction: restriction)
        if let maximumRows { plan.restriction.limit = min(restriction.limit ?? maximumRows, maximumRows) }
        for item in selection {
            switch item {
            case .all: plan.items.append(.all)
            case .column(let column):
                if isAggregate(column, of: relation), !allowsAggregates { throw .noAggregates }
                plan.items.append(.column(column))
            case .embed(let selection):
                plan.items.append(.embed(plan.embeds.count))
                plan.embeds.append(try embed(selection, in: relation, at: path + [selection.name]))
            }
        }
        try checkOrder(plan)
        try checkConditions(plan.restriction.conditions, plan)
        return plan
    }

    /// `count` and `json_agg` are, where no column has the name: PostgreSQL reads `rows.json_agg` as `json_agg(rows)`,
    /// which puts all rows into one, whatever `maximumRows` says.
    private func isAggregate(_ column: ColumnSelection, of relation: CatalogueRelation?) -> Bool {
        if column.aggregate != nil { return true }
        guard let name = column.field?.name, Self.rowAggregates.contains(name) else { return false }
        return relation.map { $0.column(name) == nil } ?? false
    }

    private static let rowAggregates: Set = [
        "any_value", "array_agg", "count", "json_agg", "json_agg_strict", "jsonb_agg", "jsonb_agg_strict", "max", "min",
    ]

    private mutating func embed(
        _ selection: EmbedSelection,
        in source: CatalogueRelation?,
        at path: [String]
    ) throws(RestError) -> ReadPlan.Embed {
        embedCount += 1
        guard embedCount <= Self.maximumEmbeds else {
            throw .unreadable("select parameter", column: 1, "more than \(Self.maximumEmbeds) embedded relations")
        }
        guard let source else { throw .noRelationship("the function's result", selection, schema: "", near: nil) }
        let relationship = try RelationshipSearch(catalogue).relationship(from: source.name, selection)
        let number = embedCount
        let alias = takeAlias("\(relationship.target.name)_\(number)")
        let restriction = query.embedded[path] ?? Restriction()
        return ReadPlan.Embed(
            name: selection.name,
            relationship: relationship,
            isInner: selection.isInner,
            isSpread: selection.isSpread,
            alias: takeAlias("embed_\(number)"),
            junctionAlias: takeAlias("junction_\(number)"),
            plan: try plan(catalogue.relations[relationship.target], alias, selection.items, restriction, at: path)
        )
    }

    private mutating func takeAlias(_ wanted: String) -> String {
        var alias = wanted.utf8.count <= Self.maximumNameBytes ? wanted : "rows_\(embedCount)"
        while !aliases.insert(alias).inserted { alias = "rows_\(embedCount)_\(aliases.count)" }
        return alias
    }

    /// A restriction of something embedded needs that to be in `select`.
    private func check(_ path: [String], in plan: ReadPlan) throws(RestError) {
        var plan = plan
        for name in path {
            guard let embed = plan.embed(named: name) else { throw .notEmbedded(name) }
            plan = embed.plan
        }
    }

    private func checkOrder(_ plan: ReadPlan) throws(RestError) {
        for case let (name?) in plan.restriction.order.map(\.relation) {
            guard let embed = plan.embed(named: name) else { throw .notEmbedded(name) }
            guard embed.relationship.isToOne else {
                throw .relatedOrderOfMany(plan.relation?.name.name ?? plan.alias, name)
            }
        }
    }

    private func checkConditions(_ conditions: [Condition], _ plan: ReadPlan) throws(RestError) {
        for condition in conditions {
            switch condition {
            case .all(let inner, _), .any(let inner, _): try checkConditions(inner, plan)
            case .filter(let filter):
                guard plan.embed(named: filter.field.name) != nil, plan.relation?.column(filter.field.name) == nil
                else { continue }
                guard case .is(.null) = filter.test else { throw .badEmbedOperator(filter.field.name) }
            }
        }
    }
}
