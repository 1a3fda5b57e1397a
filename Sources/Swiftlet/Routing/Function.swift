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

    /// `name` consists of letters, digits and `-`, `.`, `_`, `~`, which URLs need not escape. `api`, `functions` and
    /// `v1` are prefixes of paths and so no names. A server whose functions have such a name, the same name, or that of
    /// a page such as `health` says so and does not start.
    public init(_ name: StaticString, @ListBuilder<Route> routes: () -> [Route]) {
        self.init(name: name.description, routes: routes(), isListed: true, middleware: [])
    }

    /// The same function with `middleware` around each of its routes; the first one listed is the outermost.
    ///
    /// The middleware also sees the errors for unknown paths and methods, and for a body that is too large. Callers who
    /// may not use a route are refused before it runs: 401, 400 `NO_TENANT` and 403 `INSUFFICIENT_ROLE` keep their
    /// form.
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
