/// What a function declares beside its routes, such as a job. The room that defines it also performs it.
public protocol FunctionDeclaration: Sendable {
    /// For messages about a faulty declaration.
    var name: String { get }
}

/// One line of a function's declaration: routes, or something else.
public struct FunctionPart: Sendable {
    let routes: [Route]
    let declaration: (any FunctionDeclaration)?
}

/// Collects the routes and the other declarations of a function, one per line. Building has no side effects.
@resultBuilder
public enum FunctionBuilder {
    public static func buildExpression(_ declaration: some RouteDeclaration) -> [FunctionPart] {
        [FunctionPart(routes: [declaration.route], declaration: nil)]
    }

    public static func buildExpression(_ routes: [Route]) -> [FunctionPart] {
        [FunctionPart(routes: routes, declaration: nil)]
    }

    public static func buildExpression(_ parts: [FunctionPart]) -> [FunctionPart] {
        parts
    }

    public static func buildExpression(_ declaration: some FunctionDeclaration) -> [FunctionPart] {
        [FunctionPart(routes: [], declaration: declaration)]
    }

    public static func buildBlock(_ parts: [FunctionPart]...) -> [FunctionPart] {
        parts.flatMap(\.self)
    }
}
