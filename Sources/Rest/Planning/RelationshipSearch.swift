import HTTP
import JSON

/// Finds the relationship that an embedded relation means.
struct RelationshipSearch {
    private let catalogue: Catalogue

    init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// Throws ``RestError`` `PGRST200` if there is none, `PGRST201` if there are several.
    func relationship(from source: QualifiedName, _ selection: EmbedSelection) throws(RestError) -> Relationship {
        let known = catalogue.relationships[source] ?? []
        var found = known.filter { $0.target.schema == source.schema || isComputed($0) }
            .filter { $0.isNamed(selection.relation) }
        if let hint = selection.hint { found = found.filter { $0.isMeant(by: hint) } }
        // A function written for it takes the place of what the keys say.
        if let computed = found.first(where: isComputed) { return computed }
        found = distinct(found)
        if found.count == 1 { return found[0] }
        if found.isEmpty {
            let names = catalogue.relationships[source]?.map(\.target.name) ?? []
            let near = NearestName.find(selection.relation, among: names)
            throw .noRelationship(source.name, selection, schema: source.schema, near: near)
        }
        // A relation that refers to itself: what is asked for by its name is the rows that refer to this one.
        if source == found[0].target, selection.hint != nil,
            let many = found.first(where: { if case .toMany = $0.link { true } else { false } })
        {
            return many
        }
        throw .severalRelationships(source.name, selection, found)
    }

    private func isComputed(_ relationship: Relationship) -> Bool {
        if case .computed = relationship.link { true } else { false }
    }

    private func distinct(_ all: [Relationship]) -> [Relationship] {
        var seen: Set<Relationship> = []
        return all.filter { seen.insert($0).inserted }
    }
}

extension RestError {
    static func noRelationship(
        _ source: String,
        _ selection: EmbedSelection,
        schema: String,
        near: String?
    ) -> RestError {
        let target = selection.relation
        let hint = selection.hint.map { " using the hint '\($0)'" } ?? ""
        return RestError(
            400,
            "PGRST200",
            "Could not find a relationship between '\(source)' and '\(target)' in the schema cache",
            details: "Searched for a foreign key relationship between '\(source)' and '\(target)'\(hint)"
                + " in the schema '\(schema)', but no matches were found.",
            hint: near.map { "Perhaps you meant '\($0)' instead of '\(target)'." }
        )
    }

    static func severalRelationships(
        _ source: String,
        _ selection: EmbedSelection,
        _ found: [Relationship]
    ) -> RestError {
        let target = selection.relation
        var error = RestError(
            300,
            "PGRST201",
            "Could not embed because more than one relationship was found for '\(source)' and '\(target)'"
        )
        error.details = .array(
            found.map { relationship in
                [
                    "cardinality": .string(relationship.cardinality),
                    "embedding": .string("\(source) with \(relationship.target.name)"),
                    "relationship": .string(relationship.text),
                ]
            }
        )
        let choices = found.map { "'\(target)!\($0.hint)'" }.joined(separator: ", ")
        error.hint =
            "Try changing '\(target)' to one of the following: \(choices)."
            + " Find the desired relationship in the 'details' key."
        return error
    }
}
