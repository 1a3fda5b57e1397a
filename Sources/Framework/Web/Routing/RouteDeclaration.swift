public import SwiftletHTTP

/// One route of a function's declaration: ``Get``, ``Post`` and so on, or a ``Route`` that one of them has become.
public protocol RouteDeclaration: Sendable {
    var route: Route { get }
}

/// A route for one method.
///
/// It needs a user with a tenant unless it is made ``RouteDeclaration/open()`` or another ``RouteDeclaration/anyKey()``.
/// Its handler returns a ``Response``, or any `Encodable` value, which becomes JSON as by
/// ``Response/json(encoding:_:keys:)``.
public protocol MethodRoute: RouteDeclaration {
    static var method: Method { get }

    init(route: Route)
}

extension MethodRoute {
    /// A route at `path` below the function's name, for example `"/:id/balance"`.
    public init(_ path: RoutePath, _ handler: @escaping Handler) {
        self.init(route: Route(Self.method, path, handler: handler))
    }

    /// A route at the function's own path.
    public init(_ handler: @escaping Handler) {
        self.init("/", handler)
    }

    /// A route at `path`, whose handler returns a value.
    public init<Value: Encodable & Sendable>(
        _ path: RoutePath,
        _ handler: @escaping @Sendable (Request, Context) async throws -> Value
    ) {
        self.init(path) { request, context in
            try Response.json(encoding: try await handler(request, context))
        }
    }

    /// A route at the function's own path, whose handler returns a value.
    public init<Value: Encodable & Sendable>(
        _ handler: @escaping @Sendable (Request, Context) async throws -> Value
    ) {
        self.init("/", handler)
    }
}

/// A route for `GET`, and for `HEAD`.
public struct Get: MethodRoute {
    public static let method = Method.get
    public let route: Route

    public init(route: Route) { self.route = route }
}

/// A route for `POST`.
public struct Post: MethodRoute {
    public static let method = Method.post
    public let route: Route

    public init(route: Route) { self.route = route }
}

/// A route for `PUT`.
public struct Put: MethodRoute {
    public static let method = Method.put
    public let route: Route

    public init(route: Route) { self.route = route }
}

/// A route for `PATCH`.
public struct Patch: MethodRoute {
    public static let method = Method.patch
    public let route: Route

    public init(route: Route) { self.route = route }
}

/// A route for `DELETE`.
public struct Delete: MethodRoute {
    public static let method = Method.delete
    public let route: Route

    public init(route: Route) { self.route = route }
}
