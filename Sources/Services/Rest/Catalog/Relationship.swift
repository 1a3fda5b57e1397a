import SwiftletPostgres

/// How rows of one relation belong to rows of another, seen from `source`.
struct Relationship: Hashable, Sendable {
    let source: QualifiedName
    let target: QualifiedName
    let link: Link

    enum Link: Hashable, Sendable {
        /// The source's columns are a foreign key.
        case toOne(constraint: String, columns: [ColumnPair], isUnique: Bool)
        /// The target's columns are a foreign key.
        case toMany(constraint: String, columns: [ColumnPair], isUnique: Bool)
        /// Two foreign keys of a third relation, whose primary key contains both.
        case through(Junction)
        /// A function of the source's row returns the target's rows.
        case computed(function: QualifiedName, isToOne: Bool)
    }

    struct ColumnPair: Hashable, Sendable {
        let source: String
        let target: String
    }

    struct Junction: Hashable, Sendable {
        let relation: QualifiedName
        let sourceConstraint: String
        /// Columns of the source, and of the junction.
        let sourceColumns: [ColumnPair]
        let targetConstraint: String
        /// Columns of the junction, and of the target.
        let targetColumns: [ColumnPair]
    }

    var isToOne: Bool {
        switch link {
        case .toOne: true
        case .toMany(_, _, let isUnique): isUnique
        case .through: false
        case .computed(_, let isToOne): isToOne
        }
    }

    /// As PostgREST names it in errors.
    var cardinality: String {
        switch link {
        case .toOne(_, _, let isUnique): isUnique ? "one-to-one" : "many-to-one"
        case .toMany(_, _, let isUnique): isUnique ? "one-to-one" : "one-to-many"
        case .through: "many-to-many"
        case .computed(_, let isToOne): isToOne ? "many-to-one" : "one-to-many"
        }
    }

    /// Columns of the source that its embedding reads.
    var sourceColumns: [String] {
        switch link {
        case .toOne(_, let columns, _), .toMany(_, let columns, _): columns.map(\.source)
        case .through(let junction): junction.sourceColumns.map(\.source)
        case .computed: []
        }
    }
}

extension Relationship {
    /// A function of a relation's row that returns rows of another; nil for other functions.
    init?(computedBy routine: Routine) {
        guard let source = routine.rowOf, case .rows(let target?, _) = routine.result else { return nil }
        self.init(
            source: source,
            target: target,
            link: .computed(function: routine.name, isToOne: routine.returnsOneRow)
        )
    }

    /// For the list of ``RestError`` `PGRST201`.
    var text: String {
        func names(_ columns: [String]) -> String { "(\(columns.joined(separator: ", ")))" }
        switch link {
        case .toOne(let constraint, let columns, _), .toMany(let constraint, let columns, _):
            let sources = names(columns.map(\.source))
            let targets = names(columns.map(\.target))
            return "\(constraint) using \(source.name)\(sources) and \(target.name)\(targets)"
        case .through(let junction):
            let sources = names(junction.sourceColumns.map(\.target))
            let targets = names(junction.targetColumns.map(\.source))
            return
                "\(junction.relation.name) using \(junction.sourceConstraint)\(sources) and \(junction.targetConstraint)\(targets)"
        case .computed(let function, _): return "\(function.name)(\(source.name))"
        }
    }

    var isComputed: Bool { if case .computed = link { true } else { false } }

    var isSelf: Bool { source == target }

    /// Whether `!word` chooses it: its constraint, a single column of the foreign key, or the junction.
    func isMeant(by word: String) -> Bool { hints.contains(word) }

    /// What can stand behind `!`, the clearest first. Of a relation that refers to itself both sides have the column
    /// that is referred to, so that it tells nothing.
    var hints: [String] {
        switch link {
        case .toOne(let constraint, let columns, _), .toMany(let constraint, let columns, _):
            guard columns.count == 1 else { return [constraint] }
            if case .toOne = link { return [constraint, columns[0].source] + (isSelf ? [] : [columns[0].target]) }
            return [constraint, columns[0].target] + (isSelf ? [] : [columns[0].source])
        case .through(let junction):
            return [junction.relation.name, junction.sourceConstraint, junction.targetConstraint]
        case .computed(let function, _): return [function.name]
        }
    }

    /// Whether `select=word(…)` can mean it by something else than the target's name: the constraint, or the column of
    /// the source.
    func isNamedByKey(_ word: String) -> Bool {
        switch link {
        case .toOne(let constraint, let columns, _):
            constraint == word || columns.count == 1 && columns[0].source == word
        case .toMany(let constraint, let columns, let isUnique):
            !isSelf && (constraint == word || isUnique && columns.count == 1 && columns[0].source == word)
        case .through, .computed: false
        }
    }

    /// The order in which PostgREST lists several: by kind, then by what they are made of.
    var rank: [String] {
        func text(_ columns: [ColumnPair]) -> [String] { columns.flatMap { [$0.source, $0.target] } }
        return switch link {
        case .toMany(let constraint, let columns, false): ["1", constraint] + text(columns)
        case .toOne(let constraint, let columns, false): ["2", constraint] + text(columns)
        case .toMany(let constraint, let columns, true), .toOne(let constraint, let columns, true):
            ["3", constraint] + text(columns)
        case .through(let junction):
            ["4", junction.relation.name, junction.sourceConstraint, junction.targetConstraint]
                + text(junction.sourceColumns) + text(junction.targetColumns)
        case .computed(let function, _): ["5", function.name]
        }
    }
}
