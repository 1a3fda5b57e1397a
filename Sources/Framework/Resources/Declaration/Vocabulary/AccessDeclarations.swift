/// Callers below role level `level` (1…8) only see and change rows whose `column` is their own id; other rows of the
/// tenant are a 403. What they create gets their id, and they cannot give a row away.
public struct OwnRowsOnly: ResourceDeclaration {
    public let rule: ResourceRule

    public init(below level: Int, on column: Identifier) {
        rule = ResourceRule(kind: .ownRowsOnly(below: level, column))
    }
}

/// The resource sees only rows whose `column` holds one of `words`. Two resources can thus share a table; rules that
/// they have in common go into a function:
///
///     @ResourceBuilder private func companyRules() -> [ResourceRule] {
///         Filter("city")
///         Search("name")
///     }
///
/// A create stores the first word unless the body has another one of them. Other words in a body are ignored, so that
/// an update never takes a row away.
public struct Only: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ column: Identifier, _ words: StaticString...) {
        rule = ResourceRule(kind: .only(OnlyRule(column: column.name, words: words.map(\.description))))
    }
}

/// Each row belongs to a row of `resource` by `foreignKey`: `/tasks/:id/comments`.
///
/// If the caller cannot reach the parent or one of its own parents (another tenant's, another user's, deleted), the
/// children are out of reach too, except for ``Resource/list(_:in:parentKey:)`` without a parent's key and
/// ``Resource/updateAll(where:is:_:in:)``.
public struct ChildOf: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ resource: Resource, by foreignKey: Identifier, _ tallies: CounterCache...) {
        let parent = ParentRule(
            table: resource.table,
            scope: resource.scope,
            foreignKey: foreignKey,
            tallies: tallies,
            isChild: resource.rules.parent != nil,
            hidesRows: resource.hidesRows,
            requireRow: { try await resource.requireRow($0, $1) }
        )
        rule = ResourceRule(kind: .parent(parent))
    }
}
