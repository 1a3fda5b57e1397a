/// Answers one request. Whatever it throws becomes a response in one place, ``APIError/init(_:)``.
public typealias Handler = @Sendable (Request, Context) async throws -> Response

/// A method, a path below the function's name, who may call it, and what answers.
public struct Route: Sendable {
    public let method: Method
    public let path: RoutePath
    public let access: Access
    /// The table this route reads or writes, for `swiftlet functions`; nil for a hand-written route.
    let resource: Resource?
    let handler: Handler

    init(
        _ method: Method,
        _ path: RoutePath,
        access: Access = .user,
        resource: Resource? = nil,
        handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.resource = resource
        self.handler = handler
    }

    /// The same route for callers of at least `level` (1…8); others get 403 `INSUFFICIENT_ROLE`.
    public func requiring(level: Int) -> Route {
        Route(method, path, access: .level(level), resource: resource, handler: handler)
    }

    /// The same route without a token. Its handler has no tenant and so no scoped database.
    public func open() -> Route {
        Route(method, path, access: .everyone, resource: resource, handler: handler)
    }

    func wrapped(in middleware: [Middleware]) -> Route {
        let wrapped = middleware.reversed().reduce(handler) { next, middleware in
            { request, context in try await middleware.handle(request, context, next) }
        }
        return Route(method, path, access: access, resource: resource, handler: wrapped)
    }

    /// Who may call a route.
    public enum Access: Hashable, Sendable {
        /// No token is looked at.
        case everyone
        /// A verified token with a user and a tenant.
        case user
        /// As ``user``, with at least this role level (1…8).
        case level(Int)
    }
}

/// Answers `GET` (and `HEAD`) at `path`, for example `"/:id/balance"`.
public func get(_ path: RoutePath = "/", _ handler: @escaping Handler) -> Route {
    Route(.get, path, handler: handler)
}

public func post(_ path: RoutePath = "/", _ handler: @escaping Handler) -> Route {
    Route(.post, path, handler: handler)
}

public func put(_ path: RoutePath = "/", _ handler: @escaping Handler) -> Route {
    Route(.put, path, handler: handler)
}

public func patch(_ path: RoutePath = "/", _ handler: @escaping Handler) -> Route {
    Route(.patch, path, handler: handler)
}

public func delete(_ path: RoutePath = "/", _ handler: @escaping Handler) -> Route {
    Route(.delete, path, handler: handler)
}
