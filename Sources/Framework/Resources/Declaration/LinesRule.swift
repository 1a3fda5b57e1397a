import SwiftletWeb

/// Rows of another table that are written with their parent and read inside of it: an order's lines.
struct LinesRule: Sendable {
    /// The names of the list in bodies and responses. Hooks know it under the first one.
    let keys: [String]
    let table: Identifier
    let scope: RowScope
    let rules: ResourceRules
    let foreignKey: Identifier

    /// More are refused.
    static let maximumCount = 500
}

/// A ``LinesRule`` as it is declared, before it is known whose lines they are.
struct LinesDeclaration: Sendable {
    let keys: [String]
    let table: Identifier
    let foreignKey: Identifier
    let tallies: [CounterCache]
    let rules: [ResourceRule]

    func rule(ofParent parent: String, _ scope: RowScope) -> LinesRule {
        // The parent's own verbs have checked that the caller can reach it.
        let rule = ParentRule(
            table: parent,
            scope: scope,
            foreignKey: foreignKey,
            tallies: tallies,
            isChild: false,
            isWrittenBefore: true,
            hidesRows: false,
            requireRow: { _, _ in }
        )
        let all = rules + [ResourceRule(kind: .parent(rule))]
        return LinesRule(
            keys: keys,
            table: table,
            scope: scope.withoutOwner,
            rules: ResourceRules(all, of: table.name, scope.withoutOwner),
            foreignKey: foreignKey
        )
    }
}
