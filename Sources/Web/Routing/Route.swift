/// Answers one request. An ``APIError`` that it throws becomes the response; other errors are mapped to one.
public typealias Handler = @Sendable (Request, Context) async throws -> Response

/// A method and a path below the function's name, who may call it, and the handler.
public struct Route: Sendable {
    public let method: Method
    public let path: RoutePath
    public let access: Access
    /// nil for a hand-written route.
    package let table: RouteTable?
    let handler: Handler

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

    /// The same route for users of at least role level `level` (1…8); others get 403 `INSUFFICIENT_ROLE`.
    public func requiring(level: Int) -> Route {
        Route(method, path, access: .level(level), table: table, handler: handler)
    }

    /// The same route without authentication. Its handler has no user and no tenant.
    public func open() -> Route {
        Route(method, path, access: .everyone, table: table, handler: handler)
    }

    /// The same route for every valid key, that of the app itself included. Its handler has a ``Context/user``, who may be
    /// no person, and perhaps no tenant.
    public func anyKey() -> Route {
        Route(method, path, access: .anyKey, table: table, handler: handler)
    }

    func wrapped(in middleware: [Middleware]) -> Route {
        let wrapped = middleware.reversed().reduce(handler) { next, middleware in
            { request, context in try await middleware.handle(request, context, next) }
        }
        return Route(method, path, access: access, table: table, handler: wrapped)
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
