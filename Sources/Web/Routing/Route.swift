/// Answers one request. An ``APIError`` that it throws becomes the response; other errors are mapped to one.
public typealias Handler = @Sendable (Request, Context) async throws -> Response

/// A method and a path below the function's name, who may call it, and the handler.
public struct Route: Sendable {
    public let method: Method
    public let path: RoutePath
    public private(set) var access: Access
    /// nil for a hand-written route.
    package let table: RouteTable?
    /// What a hand-written route says of itself; nil for one that says nothing.
    package var description: RouteDescription?
    /// How much content it may have that its handler reads as it arrives.
    private(set) var streamingLimit: Int?
    private(set) var handler: Handler

    package init(
        _ method: Method,
        _ path: RoutePath,
        access: Access = .user,
        table: RouteTable? = nil,
        handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.table = table
        self.handler = handler
    }

    /// The same route with a body of up to `bytes` that arrives while the handler runs, which reads
    /// ``HTTP/Request/bodyChunks``: never in memory as a whole, and not before the caller is known. More is a 413.
    public func streamingBody(upTo bytes: Int) -> Route {
        var route = self
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

    func wrapped(in middleware: [Middleware]) -> Route {
        let wrapped = middleware.reversed().reduce(handler) { next, middleware in
            { request, context in try await middleware.handle(request, context, next) }
        }
        var route = self
        route.handler = wrapped
        return route
    }

    private func with(_ access: Access) -> Route {
        var route = self
        route.access = access
        return route
    }
}

/// A route for `GET` (and `HEAD`) at `path`, for example `"/:id/balance"`. It needs a user with a tenant unless it is
/// made ``Route/open()``.
public func get(_ path: RoutePath, _ handler: @escaping Handler) -> Route {
    Route(.get, path, handler: handler)
}

/// A route for `GET` at the function's own path.
public func get(_ handler: @escaping Handler) -> Route {
    get("/", handler)
}

/// A route for `POST`, see ``get(_:_:)``.
public func post(_ path: RoutePath, _ handler: @escaping Handler) -> Route {
    Route(.post, path, handler: handler)
}

/// A route for `POST` at the function's own path.
public func post(_ handler: @escaping Handler) -> Route {
    post("/", handler)
}

/// A route for `PUT`, see ``get(_:_:)``.
public func put(_ path: RoutePath, _ handler: @escaping Handler) -> Route {
    Route(.put, path, handler: handler)
}

/// A route for `PUT` at the function's own path.
public func put(_ handler: @escaping Handler) -> Route {
    put("/", handler)
}

/// A route for `PATCH`, see ``get(_:_:)``.
public func patch(_ path: RoutePath, _ handler: @escaping Handler) -> Route {
    Route(.patch, path, handler: handler)
}

/// A route for `PATCH` at the function's own path.
public func patch(_ handler: @escaping Handler) -> Route {
    patch("/", handler)
}

/// A route for `DELETE`, see ``get(_:_:)``.
public func delete(_ path: RoutePath, _ handler: @escaping Handler) -> Route {
    Route(.delete, path, handler: handler)
}

/// A route for `DELETE` at the function's own path.
public func delete(_ handler: @escaping Handler) -> Route {
    delete("/", handler)
}
