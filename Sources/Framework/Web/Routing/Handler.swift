/// Answers one request. An ``APIError`` that it throws becomes the response; other errors are mapped to one.
public typealias Handler = @Sendable (Request, Context) async throws -> Response
