/// What is read of one relation, with the relations that are embedded in it.
struct ReadPlan {
    /// nil where the rows are those of a function whose type is no relation.
    var relation: CatalogueRelation?
    /// The name of its rows in the statement.
    var alias: String
    var items: [Item]
    var restriction: Restriction
    var embeds: [Embed] = []

    enum Item {
        case all
        case column(ColumnSelection)
        /// The position of an embedded relation, whose value stands here.
        case embed(Int)
    }

    struct Embed {
        let name: String
        let relationship: Relationship
        let isInner: Bool
        let isSpread: Bool
        /// The name of what is joined, with the column `value`.
        let alias: String
        /// The junction's name in the statement.
        let junctionAlias: String
        var plan: ReadPlan

        /// Nothing of it is in the answer: it is there to be filtered by.
        var isHidden: Bool { plan.items.isEmpty }
    }

    func embed(named name: String) -> Embed? { embeds.first { $0.name == name } }

    /// The columns that a change must return for this plan to be read from its result; nil for all of them.
    var neededColumns: [String]? {
        var names: Set<String> = []
        for item in items {
            switch item {
            case .all: return nil
            case .column(let column): if let field = column.field { names.insert(field.name) }
            case .embed: break
            }
        }
        for embed in embeds {
            // A computed relationship takes the whole row.
            if case .computed = embed.relationship.link { return nil }
            names.formUnion(embed.relationship.sourceColumns)
        }
        for term in restriction.order where term.relation == nil { names.insert(term.field.name) }
        return names.sorted()
    }
}
