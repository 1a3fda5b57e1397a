import SwiftletHTTP
import SwiftletPostgres

/// Resolves what is selected of a relation against the catalog: which relationship each embedded relation means.
struct ReadPlanner {
    let catalog: RestCatalog
    let query: RestQuery
    let allowsAggregates: Bool
    let maximumRows: Int?
    private var aliases: Set<String> = []
    private var embedCount = 0

    /// More relations than anybody embeds in one request.
    private static let maximumEmbeds = 60
    /// The longest identifier of PostgreSQL, in bytes.
    private static let maximumNameBytes = 63

    init(_ catalog: RestCatalog, _ query: RestQuery, allowsAggregates: Bool, maximumRows: Int?) {
        self.catalog = catalog
        self.query = query
        self.allowsAggregates = allowsAggregates
        self.maximumRows = maximumRows
    }

    /// Of relations that are embedded, by the names that lead to them from where the planner is.
    private typealias Restrictions = [[String]: Restriction]

    /// The plan for the relation of the request, or for the rows of a function. Throws ``RestError``.
    mutating func plan(_ relation: Table?, named name: String) throws(RestError) -> ReadPlan {
        try plan(relation, takeAlias(name), query.select, query.root, query.embedded, depth: 0)
    }

    private mutating func plan(
        _ relation: Table?,
        _ alias: String,
        _ selection: [SelectItem],
        _ restriction: Restriction,
        _ inner: Restrictions,
        depth: Int
    ) throws(RestError) -> ReadPlan {
        var plan = ReadPlan(relation: relation, alias: alias, items: [], restriction: restriction)
        if let maximumRows { plan.restriction.limit = min(restriction.limit ?? maximumRows, maximumRows) }
        let restrictions = try distribute(inner, among: selection)
        for (index, item) in selection.enumerated() {
            switch item {
            case .all: plan.items.append(.all)
            case .column(let selected):
                let column = counting(selected, of: relation)
                // A bare `count` is always allowed, as in PostgREST: clients ask so for the number of embedded rows.
                let isBareCount = selected.aggregate == nil && column.aggregate != nil
                guard allowsAggregates || isBareCount || !isAggregate(column, of: relation) else { throw .noAggregates }
                plan.items.append(.column(column))
            case .embed(let selection):
                plan.items.append(.embed(plan.embeds.count))
                plan.embeds.append(
                    try embed(selection, in: relation, restrictions[index] ?? [:], depth: depth + 1)
                )
            }
        }
        try checkNames(plan, depth: depth + 1)
        try checkOrder(plan)
        try checkConditions(plan.restriction.conditions, plan)
        return plan
    }

    /// Throws for two embedded relations of one name: an object with the same member twice is read in two ways. The
    /// error is the one that PostgreSQL gives PostgREST.
    private func checkNames(_ plan: ReadPlan, depth: Int) throws(RestError) {
        var names: Set<String> = []
        for embed in plan.embeds where !embed.isHidden && !names.insert(embed.name).inserted {
            let table = "\(plan.relation?.name ?? plan.alias)_\(embed.name)_\(depth)"
            throw RestError(.badRequest, "42712", "table name \"\(table)\" specified more than once")
        }
    }

    /// Restrictions for each embedded relation, by its place in the selection. They name it by its alias or by the name
    /// of the relation. Throws for those of something that is not embedded.
    private func distribute(
        _ restrictions: Restrictions,
        among selection: [SelectItem]
    ) throws(RestError) -> [Int: Restrictions] {
        var found: [Int: Restrictions] = [:]
        let embeds = selection.enumerated().compactMap { index, item in
            if case .embed(let embed) = item { (index: index, embed: embed) } else { nil }
        }
        for (path, restriction) in restrictions.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let name = path.first else { continue }
            let place = embeds.first { $0.embed.name == name } ?? embeds.first { $0.embed.relation == name }
            guard let index = place?.index else { throw .notEmbedded(name) }
            found[index, default: [:]][Array(path.dropFirst()), default: Restriction()].add(restriction)
        }
        return found
    }

    /// `count` without parentheses counts rows too, where no column has the name.
    private func counting(_ column: ColumnSelection, of relation: Table?) -> ColumnSelection {
        guard column.aggregate == nil, column.cast == nil, let field = column.field, field.steps.isEmpty,
            field.name == "count", let relation, relation.column("count") == nil
        else { return column }
        return ColumnSelection(alias: column.alias, aggregate: .count)
    }

    /// `count` and `json_agg` are, where no column has the name: PostgreSQL reads `rows.json_agg` as `json_agg(rows)`,
    /// which puts all rows into one, whatever `maximumRows` says.
    private func isAggregate(_ column: ColumnSelection, of relation: Table?) -> Bool {
        if column.aggregate != nil { return true }
        guard let name = column.field?.name, Self.rowAggregates.contains(name) else { return false }
        return relation.map { $0.column(name) == nil } ?? false
    }

    private static let rowAggregates: Set = [
        "any_value", "array_agg", "count", "json_agg", "json_agg_strict", "jsonb_agg", "jsonb_agg_strict", "max", "min",
    ]

    private mutating func embed(
        _ selection: EmbedSelection,
        in source: Table?,
        _ restrictions: Restrictions,
        depth: Int
    ) throws(RestError) -> ReadPlan.Embed {
        embedCount += 1
        guard embedCount <= Self.maximumEmbeds else {
            throw .unreadable("select parameter", column: 1, "more than \(Self.maximumEmbeds) embedded relations")
        }
        guard let source else { throw .noRelationship("the function's result", selection, schema: "", near: nil) }
        let relationship = try RelationshipSearch(catalog).relationship(from: source.qualifiedName, selection)
        let number = embedCount
        // Siblings do not see each other's rows: only those around are named apart.
        let outer = aliases
        defer { aliases = outer }
        let alias = takeAlias("\(relationship.target.name)_\(depth)")
        let embed = ReadPlan.Embed(
            name: selection.name,
            relationship: relationship,
            isInner: selection.isInner,
            isSpread: selection.isSpread,
            alias: takeAlias("embed_\(number)"),
            junctionAlias: takeAlias("junction_\(number)"),
            plan: try plan(
                catalog.relations[relationship.target],
                alias,
                selection.items,
                restrictions[[]] ?? Restriction(),
                restrictions.filter { !$0.key.isEmpty },
                depth: depth
            )
        )
        if embed.isSpread, !embed.isFlat, embed.plan.isGrouped { throw .noSpreadAggregates }
        return embed
    }

    private mutating func takeAlias(_ wanted: String) -> String {
        var alias = wanted.utf8.count <= Self.maximumNameBytes ? wanted : "rows_\(embedCount)"
        while !aliases.insert(alias).inserted { alias = "rows_\(embedCount)_\(aliases.count)" }
        return alias
    }

    private func checkOrder(_ plan: ReadPlan) throws(RestError) {
        for term in plan.restriction.order {
            guard let name = term.relation else { continue }
            guard let embed = plan.embed(named: name) else { throw .notEmbedded(name) }
            guard embed.relationship.isToOne else {
                throw .relatedOrderOfMany(plan.relation?.name ?? plan.alias, name)
            }
            if plan.isGrouped, embed.plan.number(ofOutput: term.field) == nil {
                throw .notGrouped("\(name).\(term.field.name)")
            }
        }
    }

    private func checkConditions(_ conditions: [LogicTree], _ plan: ReadPlan) throws(RestError) {
        for condition in conditions {
            switch condition {
            case .all(let inner, _), .any(let inner, _): try checkConditions(inner, plan)
            case .filter(let filter):
                guard plan.embed(askedAs: filter.field) != nil else { continue }
                guard case .is(.null) = filter.test else { throw .badEmbedOperator(filter.field.name) }
            }
        }
    }
}
