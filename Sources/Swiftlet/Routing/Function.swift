/// A function: a name under `/functions/v1/` and the routes below it.
///
///     public let contacts = Function("contacts") {
///         resource.routes()
///         post("/:id/archive", archive)
///     }
public struct Function: Sendable {
    /// The path segment that selects this function.
    public let name: String
    /// In the order of declaration. A literal segment always takes precedence over a parameter.
    public let routes: [Route]
    /// Whether `/health` and the 404 for an unknown function list it.
    let isListed: Bool
    /// Wraps the function's errors that no route throws: "not found", "method not allowed", "content too large".
    let middleware: [Middleware]

    public init(_ name: StaticString, @ListBuilder<Route> routes: () -> [Route]) {
        self.init(name: name.description, routes: routes(), isListed: true, middleware: [])
    }

    /// The same function with `middleware` around each of its routes; the first one listed is the outermost.
    ///
    /// The middleware also sees the errors for unknown paths and methods, so that it can format all errors of the
    /// function.
    public func with(_ middleware: Middleware...) -> Function {
        Function(
            name: name,
            routes: routes.map { $0.wrapped(in: middleware) },
            isListed: isListed,
            middleware: middleware + self.middleware
        )
    }

    /// The same function, not listed by `/health`: for functions of the server rather than of the project.
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
