/// Code around a function's handlers: it can refuse a request, change the request or the response, or measure.
///
///     let audited = Middleware { request, context, next in
///         let response = try await next(request, context)
///         context.logger.info("audited")
///         return response
///     }
public struct Middleware: Sendable {
    let handle: @Sendable (Request, Context, Handler) async throws -> Response

    public init(_ handle: @escaping @Sendable (Request, Context, Handler) async throws -> Response) {
        self.handle = handle
    }
}
