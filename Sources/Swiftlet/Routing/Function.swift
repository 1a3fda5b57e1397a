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

    public init(_ name: StaticString, @ListBuilder<Route> routes: () -> [Route]) {
        self.name = name.description
        self.routes = routes()
    }

    /// The same function with `middleware` round each of its routes; the first one listed runs first.
    public func with(_ middleware: Middleware...) -> Function {
        Function(name: name, routes: routes.map { $0.wrapped(in: middleware) })
    }

    private init(name: String, routes: [Route]) {
        self.name = name
        self.routes = routes
    }
}
