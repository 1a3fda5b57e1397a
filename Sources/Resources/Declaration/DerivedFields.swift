import Web

struct JoinedName: Sendable {
    let key: String
    let table: Identifier
    let columns: [Identifier]
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

struct CountField: Sendable {
    let key: String
    let predicate: String
    let needs: [Identifier]

    var hasSubquery: Bool { SubqueryScan.finds(in: predicate) }
}
