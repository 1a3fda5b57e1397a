public import SwiftletHTTP

/// A parameter of a route's path that the handler takes as a value.
///
///     Get("/:id/photos/:number", PathParameter<UUID>("id"), PathParameter<Int>("number")) { _, context, id, number in
///         try await photo(number, of: id, context)
///     }
///
/// A text that is no such value is refused with 400, which names the parameter. A server does not start with a name that
/// the path does not have.
public struct PathParameter<Value: PathValue>: Sendable {
    let name: String

    public init(_ name: String) { self.name = name }
}

extension MethodRoute {
    /// A route at `path`, whose handler takes values of the path.
    public init<each Value: PathValue>(
        _ path: RoutePath,
        _ parameter: repeat PathParameter<each Value>,
        handler: @escaping @Sendable (Request, Context, repeat each Value) async throws -> Response
    ) {
        var route = Route(Self.method, path) { request, context in
            try await handler(request, context, repeat (each parameter).value(in: context))
        }
        for parameter in repeat each parameter { route.pathParameters.append(parameter.name) }
        self.init(route: route)
    }

    /// A route at `path`, whose handler takes values of the path, and returns one.
    public init<each Value: PathValue, Result: Encodable & Sendable>(
        _ path: RoutePath,
        _ parameter: repeat PathParameter<each Value>,
        handler: @escaping @Sendable (Request, Context, repeat each Value) async throws -> Result
    ) {
        self.init(path, repeat each parameter) { (request: Request, context: Context, value: repeat each Value) in
            try Response.json(encoding: try await handler(request, context, repeat each value))
        }
    }
}

extension PathParameter {
    fileprivate func value(in context: Context) throws -> Value {
        try context.parameters.require(name, as: Value.self)
    }
}
