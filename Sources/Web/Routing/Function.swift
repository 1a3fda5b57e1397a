/// A function: a name under `/functions/v1/`, the routes below it, and the jobs that belong to it.
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
    /// What is declared beside the routes, such as jobs.
    package let declarations: [any FunctionDeclaration]
    /// Whether `/health` and the 404 for an unknown function list it.
    let isListed: Bool
    /// Wraps the function's errors that no route throws: "not found", "method not allowed", "content too large".
    let middleware: [Middleware]
    /// Whether times in the strings of its JSON become the server's format.
    let normalisesDates: Bool

    /// `name` consists of letters, digits and `-`, `.`, `_`, `~`, which URLs need not escape. `api`, `functions` and
    /// `v1` are prefixes of paths and so no names. A server whose functions have such a name, the same name, or that of
    /// a page such as `health` says so and does not start.
    public init(_ name: StaticString, @FunctionBuilder declarations: () -> [FunctionPart]) {
        let parts = declarations()
        self.init(
            name: name.description,
            routes: parts.flatMap(\.routes),
            declarations: parts.compactMap(\.declaration),
            isListed: true,
            middleware: [],
            normalisesDates: true
        )
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
            declarations: declarations,
            isListed: isListed,
            middleware: middleware + self.middleware,
            normalisesDates: normalisesDates
        )
    }

    /// The same function, not listed by `/health`: for functions of the server rather than of the project.
    public func unlisted() -> Function {
        Function(
            name: name,
            routes: routes,
            declarations: declarations,
            isListed: false,
            middleware: middleware,
            normalisesDates: normalisesDates
        )
    }

    /// The same function, whose JSON leaves as its handlers have written it.
    ///
    /// Of others, each string that is a time is rewritten as UTC with whole seconds, see ``JSON/DateNormaliser``; of this
    /// one, only what a resource has read from the database is, as it is written.
    public func keepingDates() -> Function {
        Function(
            name: name,
            routes: routes,
            declarations: declarations,
            isListed: isListed,
            middleware: middleware,
            normalisesDates: false
        )
    }

    private init(
        name: String,
        routes: [Route],
        declarations: [any FunctionDeclaration],
        isListed: Bool,
        middleware: [Middleware],
        normalisesDates: Bool
    ) {
        self.name = name
        self.routes = routes
        self.declarations = declarations
        self.isListed = isListed
        self.middleware = middleware
        self.normalisesDates = normalisesDates
    }
}
