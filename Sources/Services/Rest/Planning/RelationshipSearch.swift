import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// Finds the relationship that an embedded relation means.
struct RelationshipSearch {
    private let catalog: RestCatalog

    init(_ catalog: RestCatalog) {
        self.catalog = catalog
    }

    /// Throws ``RestError`` `PGRST200` if there is none, `PGRST201` if there are several.
    func relationship(from source: QualifiedName, _ selection: EmbedSelection) throws(RestError) -> Relationship {
        let found = candidates(from: source, selection.relation, selection.hint)
        if found.count == 1 { return found[0] }
        if found.isEmpty {
            let names = catalog.relationships[source]?.map(\.target.name) ?? []
            let near = names.contains(selection.relation) ? nil : NearestName.find(selection.relation, among: names)
            throw .noRelationship(source.name, selection, schema: source.schema, near: near)
        }
        let sorted = found.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }
        throw .severalRelationships(source.name, selection, sorted, spellings(sorted))
    }

    private func candidates(from source: QualifiedName, _ name: String, _ hint: String?) -> [Relationship] {
        let known = catalog.relationships[source] ?? []
        // A function written for it takes the place of what the keys say.
        if let computed = known.first(where: { $0.isComputed && $0.isMeant(by: name) }) { return [computed] }
        var seen: Set<Relationship> = []
        let found = known.filter { relationship in
            !relationship.isComputed && relationship.target.schema == source.schema
                && isNamed(relationship, name) && hint.map(relationship.isMeant) ?? true
                && seen.insert(relationship).inserted
        }
        // A relation that refers to itself: its own name means the rows that refer to this one.
        let children = found.filter { if case .toMany = $0.link { $0.isSelf } else { false } }
        if !children.isEmpty { return children }
        let tables = found.filter { !isView($0.target) }
        return found.allSatisfy { $0.isNamedByKey(name) } && !tables.isEmpty ? tables : found
    }

    private func isView(_ name: QualifiedName) -> Bool { catalog.relations[name]?.isView == true }

    /// By the name of a key only tables are meant, as each view that shows them has the key as well; a view that refers
    /// to itself means itself.
    private func isNamed(_ relationship: Relationship, _ name: String) -> Bool {
        if relationship.target.name == name {
            // What it refers to itself is named by the column.
            if case .toOne = relationship.link, relationship.isSelf { return relationship.isNamedByKey(name) }
            return true
        }
        return relationship.isNamedByKey(name) && (relationship.isSelf || !isView(relationship.target))
    }

    /// What can be written to choose each of several relationships, as far as there is something.
    private func spellings(_ found: [Relationship]) -> [String] {
        var spellings: [String] = []
        for relationship in found {
            guard let spelling = spelling(relationship), !spellings.contains(spelling) else { continue }
            spellings.append(spelling)
        }
        return spellings
    }

    private func spelling(_ relationship: Relationship) -> String? {
        let target = relationship.target.name
        for hint in relationship.hints where candidates(from: relationship.source, target, hint) == [relationship] {
            return "\(target)!\(hint)"
        }
        guard case .through(let junction) = relationship.link else { return nil }
        // Over a junction with more than two keys only step by step.
        let name = junction.relation.name
        guard candidates(from: relationship.source, name, junction.sourceConstraint).count == 1,
            candidates(from: junction.relation, target, junction.targetConstraint).count == 1
        else { return nil }
        return "\(name)!\(junction.sourceConstraint)(...\(target)!\(junction.targetConstraint))"
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

    fileprivate static func severalRelationships(
        _ source: String,
        _ selection: EmbedSelection,
        _ found: [Relationship],
        _ spellings: [String]
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
        guard !spellings.isEmpty else { return error }
        let choices = spellings.map { "'\($0)'" }.joined(separator: ", ")
        error.hint =
            "Try changing '\(target)' to one of the following: \(choices)."
            + " Find the desired relationship in the 'details' key."
        return error
    }
}
