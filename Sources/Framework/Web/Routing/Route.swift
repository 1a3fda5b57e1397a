package import SwiftletPostgres

/// A method and a path below the function's name, who may call it, and the handler.
public struct Route: Sendable {
    public let method: Method
    public let path: RoutePath
    public fileprivate(set) var access: Access
    /// nil for a hand-written route.
    package let table: TableBacking?
    /// What a hand-written route says of itself; nil for one that says nothing.
    package var description: RouteDescription?
    /// Whether the handler reads a parameter of the query, for a route whose parameters are known.
    package var knowsParameter: (@Sendable (String, Schema) -> Bool)?
    /// The names of the parameters that its handler takes as values.
    var pathParameters: [String] = []
    /// How much content it may have that its handler reads as it arrives.
    fileprivate(set) var streamingLimit: Int?
    /// See ``RouteDeclaration/limited(to:per:by:)``.
    var limits: [RateLimit] = []
    /// See ``RouteDeclaration/readingPrimary()``.
    fileprivate(set) var readsPrimary = false
    private(set) var handler: Handler

    package init(
        _ method: Method,
        _ path: RoutePath,
        access: Access = .user,
        table: TableBacking? = nil,
        handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.table = table
        self.handler = handler
    }

    func wrapped(in middleware: [Middleware]) -> Route {
        let wrapped = middleware.reversed().reduce(handler) { next, middleware in
            { request, context in try await middleware.handle(request, context, next) }
        }
        var route = self
        route.handler = wrapped
        return route
    }
}

extension Route: RouteDeclaration {
    public var route: Route { self }
}

extension RouteDeclaration {
    /// The same route with a body of up to `bytes` that arrives while the handler runs, which reads
    /// ``Request/bodyChunks``: never in memory as a whole, and not before the caller is known. More is a 413.
    public func streamingBody(upTo bytes: Int) -> Route {
        var route = route
        route.streamingLimit = bytes
        return route
    }

    /// The same route for users of at least role level `level` (1…8); others get 403 `INSUFFICIENT_ROLE`.
    public func requiring(level: Int) -> Route {
        with(.level(level))
    }

    /// The same route without authentication. Its handler has no user and no tenant.
    public func open() -> Route {
        with(.everyone)
    }

    /// The same route, whose handler checks the caller itself. It has no user and no tenant before.
    public func checkedByHandler() -> Route {
        with(.byHandler)
    }

    /// The same route for every valid key, that of the app itself included. Its handler has a ``Context/user``, who may be
    /// no person, and perhaps no tenant.
    public func anyKey() -> Route {
        with(.anyKey)
    }

    /// The same route for every verified user, in a tenant or not: its statements bind ``Context/person`` or
    /// ``Context/device``.
    public func forPersons() -> Route {
        with(.person)
    }

    /// The same route, whose reads never go to a replica of the database, however current that is: for what has to see
    /// others' latest changes as well as the caller's own.
    public func readingPrimary() -> Route {
        var route = route
        route.readsPrimary = true
        return route
    }

    private func with(_ access: Route.Access) -> Route {
        var route = route
        route.access = access
        return route
    }
}
