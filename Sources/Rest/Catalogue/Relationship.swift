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

    /// What can be written behind `!` to choose this one.
    var hint: String {
        switch link {
        case .toOne(let constraint, _, _), .toMany(let constraint, _, _): constraint
        case .through(let junction): junction.relation.name
        case .computed(let function, _): function.name
        }
    }

    /// Whether `!word` chooses it: its constraint, a single column of the foreign key, or the junction.
    func isMeant(by word: String) -> Bool {
        switch link {
        case .toOne(let constraint, let columns, _), .toMany(let constraint, let columns, _):
            constraint == word || columns.count == 1 && (columns[0].source == word || columns[0].target == word)
        case .through(let junction):
            junction.relation.name == word || junction.sourceConstraint == word || junction.targetConstraint == word
        case .computed(let function, _): function.name == word
        }
    }

    /// Whether `select=word(…)` can mean it: by the target's name, the constraint's, or the column's of the source.
    func isNamed(_ word: String) -> Bool {
        switch link {
        case .toOne(let constraint, let columns, _):
            target.name == word || constraint == word || columns.count == 1 && columns[0].source == word
        case .toMany(let constraint, _, _): target.name == word || constraint == word
        case .through: target.name == word
        case .computed(let function, _): function.name == word
        }
    }
}
