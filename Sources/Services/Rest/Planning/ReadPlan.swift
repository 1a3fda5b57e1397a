import SwiftletPostgres

/// What is read of one relation, with the relations that are embedded in it.
struct ReadPlan: Sendable {
    /// nil where the rows are those of a function whose type is no relation.
    var relation: Table?
    /// The name of its rows in the statement.
    var alias: String
    var items: [Item]
    var restriction: Restriction
    var embeds: [Embed] = []
    /// The type of the rows where they come from a function: PostgreSQL has forgotten it, and would not find which of
    /// several computed columns of a name is theirs.
    var rowType: QualifiedName?
    /// Of embedded relations it is only asked whether they have a row: none is joined.
    var isCounted = false
    /// Rows leave as PostgreSQL prints them; what is embedded in them then has the spaces of `jsonb`, as in PostgREST.
    var printsRows = false

    enum Item: Sendable {
        case all
        case column(ColumnSelection)
        /// The position of an embedded relation, whose value stands here.
        case embed(Int)
    }

    struct Embed: Sendable {
        let name: String
        let relationship: Relationship
        let isInner: Bool
        let isSpread: Bool
        /// The name of what is joined. Its column `value` is null where no row belongs to the parent's.
        let alias: String
        /// The junction's name in the statement.
        let junctionAlias: String
        var plan: ReadPlan

        /// Nothing of it is in the answer: it is there to be filtered by.
        var isHidden: Bool {
            plan.items.allSatisfy { if case .embed(let index) = $0 { plan.embeds[index].isHidden } else { false } }
        }

        /// Each row of the parent has at most one of it, so that its columns can be the parent's.
        var isFlat: Bool { isSpread && relationship.isToOne }
    }

    var mayTakeLong: Bool {
        restriction.conditions.contains(where: \.mayTakeLong) || embeds.contains { $0.plan.mayTakeLong }
    }

    func embed(named name: String) -> Embed? { embeds.first { $0.name == name } }

    /// What a filter of this name asks about: an embedded relation, unless a column has the name.
    func embed(askedAs field: FieldPath) -> Embed? {
        relation?.column(field.name) == nil ? embed(named: field.name) : nil
    }

    /// The selected column with this alias, where no column of the relation has the name.
    func column(aliased field: FieldPath) -> ColumnSelection? {
        guard field.steps.isEmpty, let relation, relation.column(field.name) == nil else { return nil }
        for case .column(let column) in items where column.alias == field.name { return column }
        return nil
    }

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
        for term in restriction.order where term.relation == nil && column(aliased: term.field) == nil {
            names.insert(term.field.name)
        }
        return names.sorted()
    }
}
