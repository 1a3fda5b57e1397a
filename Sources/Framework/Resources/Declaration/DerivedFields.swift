import SwiftletWeb

struct JoinedName: Sendable {
    let key: String
    let table: Identifier
    let columns: [Identifier]
    let foreignKey: Identifier
    /// Whether the columns are members of an object, rather than parts of a name.
    var isObject = false
}

/// How many rows of a table refer to this one.
struct CountedRows: Sendable {
    let key: String
    let table: Identifier
    let foreignKey: Identifier
}

struct ComputedField: Sendable {
    let key: String
    let expression: String
    var source: Source?
    let needs: [Identifier]

    /// The table whose rows `o` the expression is over, and which of them.
    struct Source: Sendable {
        let table: Identifier
        let predicate: String
    }

    var hasSubquery: Bool {
        SubqueryScan.finds(in: expression) || source.map { SubqueryScan.finds(in: $0.predicate) } ?? false
    }
}

/// A word that rows show in a column whatever they store there, if they satisfy the predicate.
struct ShownWord: Sendable {
    let word: String
    let column: Identifier
    let predicate: String
    let needs: [Identifier]

    var hasSubquery: Bool { SubqueryScan.finds(in: predicate) }
}

struct CountField: Sendable {
    let key: String
    let predicate: String
    let needs: [Identifier]

    var hasSubquery: Bool { SubqueryScan.finds(in: predicate) }
}
