/// One deployable function: a name under `/functions/v1/` and the routes it serves.
///
///     public let contacts = Function("contacts") {
///         resource.routes()
///         post("/:id/archive", archive)
///     }
public struct Function: Sendable {
    /// The first path segment that selects this function.
    public let name: String
    /// In the order of declaration; a literal segment wins over a parameter whatever the order.
    public let routes: [Route]
    /// Whether `/health` and the answer to an unknown function name it.
    let isListed: Bool
    /// Round the answers of the function that no route gives: "not found" and "method not allowed".
    let middleware: [Middleware]

    public init(_ name: StaticString, @ListBuilder<Route> routes: () -> [Route]) {
        self.init(name: name.description, routes: routes(), isListed: true, middleware: [])
    }

    /// The same function with `middleware` round each of its routes; the first one listed runs first. It sees what the
    /// function throws for a path or method that no route has, too, so that it may shape all of its errors.
    public func with(_ middleware: Middleware...) -> Function {
        Function(
            name: name,
            routes: routes.map { $0.wrapped(in: middleware) },
            isListed: isListed,
            middleware: middleware + self.middleware
        )
    }

    /// The same function, not shown by `/health`: for what belongs to the server rather than to the project.
    public func unlisted() -> Function {
        Function(name: name, routes: routes, isListed: false, middleware: middleware)
    }

    private init(name: String, routes: [Route], isListed: Bool, middleware: [Middleware]) {
        self.name = name
        self.routes = routes
        self.isListed = isListed
        self.middleware = middleware
    }
}
