/// One line of a resource's declaration: ``Filter``, ``Search``, ``Required`` and so on.
public protocol ResourceDeclaration: Sendable {
    var rule: ResourceRule { get }
}

/// Collects the lines of a resource's declaration. Building has no side effects.
@resultBuilder
public enum ResourceBuilder {
    public static func buildExpression(_ declaration: some ResourceDeclaration) -> [ResourceRule] {
        [declaration.rule]
    }

    /// Rules that several resources have in common.
    public static func buildExpression(_ rules: [ResourceRule]) -> [ResourceRule] {
        rules
    }

    public static func buildBlock(_ rules: [ResourceRule]...) -> [ResourceRule] {
        rules.flatMap(\.self)
    }
}
