import SwiftletPostgres

/// Finds how relations belong together, from their keys.
enum RelationshipReader {
    static func relationships(_ keys: KeyCatalog) -> [Relationship] {
        var found: [Relationship] = []
        for key in keys.foreignKeys {
            let isUnique = keys.isUnique(key.columns, in: key.relation)
            let pairs = zip(key.columns, key.targetColumns).map { Relationship.ColumnPair(source: $0, target: $1) }
            found.append(
                Relationship(
                    source: key.relation,
                    target: key.target,
                    link: .toOne(constraint: key.name, columns: pairs, isUnique: isUnique)
                )
            )
            let reversed = pairs.map { Relationship.ColumnPair(source: $0.target, target: $0.source) }
            found.append(
                Relationship(
                    source: key.target,
                    target: key.relation,
                    link: .toMany(constraint: key.name, columns: reversed, isUnique: isUnique)
                )
            )
        }
        return found + throughJunctions(keys)
    }

    /// A relation whose primary key contains two foreign keys joins the two that they refer to.
    private static func throughJunctions(_ keys: KeyCatalog) -> [Relationship] {
        var found: [Relationship] = []
        for (junction, candidates) in Dictionary(grouping: keys.foreignKeys, by: \.relation) {
            guard let primary = keys.primaryKeys[junction].map(Set.init) else { continue }
            let parts = candidates.filter { primary.isSuperset(of: $0.columns) }
            for first in parts {
                for second in parts where first.name != second.name {
                    let link = Relationship.Junction(
                        relation: junction,
                        sourceConstraint: first.name,
                        sourceColumns: zip(first.targetColumns, first.columns).map {
                            Relationship.ColumnPair(source: $0, target: $1)
                        },
                        targetConstraint: second.name,
                        targetColumns: zip(second.columns, second.targetColumns).map {
                            Relationship.ColumnPair(source: $0, target: $1)
                        }
                    )
                    found.append(Relationship(source: first.target, target: second.target, link: .through(link)))
                }
            }
        }
        return found
    }
}
