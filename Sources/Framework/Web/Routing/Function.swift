/// A function: a name under `/functions/v1/`, the routes below it, and the jobs that belong to it.
///
///     public let contacts = Function("contacts") {
///         resource.routes()
///         Post("/:id/archive", archive)
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
    let normalizesDates: Bool
    /// Whether its answers may be compressed.
    private(set) var isCompressed = true
    /// Whether its answers have no CORS headers.
    private(set) var isSameOriginOnly = false

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
            normalizesDates: true
        )
    }

    /// The same function with `middleware` around each of its routes; the first one listed is the outermost.
    ///
    /// The middleware also sees the errors for unknown paths and methods, and for a body that is too large. Callers who
    /// may not use a route are refused before it runs: 401, 400 `NO_TENANT` and 403 `INSUFFICIENT_ROLE` keep their
    /// form.
    public func with(_ middleware: Middleware...) -> Function {
        copy(
            routes: routes.map { $0.wrapped(in: middleware) },
            middleware: middleware + self.middleware
        )
    }

    /// The same function, not listed by `/health`: for functions of the server rather than of the project.
    public func unlisted() -> Function {
        copy(isListed: false)
    }

    /// The same function, whose JSON leaves as its handlers have written it.
    ///
    /// Of others, each string that is a time is rewritten as UTC with whole seconds, see ``DateNormalizer``; of this
    /// one, only what a resource has read from the database is, as it is written.
    public func keepingDates() -> Function {
        copy(normalizesDates: false)
    }

    /// The same function, whose answers are never compressed, as they hold tokens beside what callers have sent.
    package func uncompressed() -> Function {
        var function = self
        function.isCompressed = false
        return function
    }

    /// The same function, whose answers no page of another origin may read: they have no CORS headers.
    package func sameOriginOnly() -> Function {
        var function = self
        function.isSameOriginOnly = true
        return function
    }

    private func copy(
        routes: [Route]? = nil,
        isListed: Bool? = nil,
        middleware: [Middleware]? = nil,
        normalizesDates: Bool? = nil
    ) -> Function {
        var function = Function(
            name: name,
            routes: routes ?? self.routes,
            declarations: declarations,
            isListed: isListed ?? self.isListed,
            middleware: middleware ?? self.middleware,
            normalizesDates: normalizesDates ?? self.normalizesDates
        )
        function.isCompressed = isCompressed
        function.isSameOriginOnly = isSameOriginOnly
        return function
    }

    /// The same function, whose handlers check their callers themselves unless their routes say otherwise, see
    /// ``Route/Access/byHandler``.
    package func checkedByHandlers() -> Function {
        copy(routes: routes.map { $0.access == .user ? $0.checkedByHandler() : $0 })
    }

    private init(
        name: String,
        routes: [Route],
        declarations: [any FunctionDeclaration],
        isListed: Bool,
        middleware: [Middleware],
        normalizesDates: Bool
    ) {
        self.name = name
        self.routes = routes
        self.declarations = declarations
        self.isListed = isListed
        self.middleware = middleware
        self.normalizesDates = normalizesDates
    }
}
