/// Code around a function's handlers: it can refuse a request, change the response, or measure. It runs after the
/// token was verified.
///
///     let audited = Middleware { request, context, next in
///         let response = try await next(request, context)
///         context.logger.info("audited")
///         return response
///     }
public struct Middleware: Sendable {
    let handle: @Sendable (Request, Context, Handler) async throws -> Response

    /// `handle` calls the handler that it gets, which may be the next middleware, with the request and context that it
    /// got, or answers itself. What it throws becomes the response as if the handler had thrown it.
    public init(_ handle: @escaping @Sendable (Request, Context, Handler) async throws -> Response) {
        self.handle = handle
    }
}
