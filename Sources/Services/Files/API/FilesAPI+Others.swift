import SwiftletHTTP
import SwiftletWeb

extension FilesAPI {
    /// What clients and operators of Supabase Storage ask besides objects.
    @FunctionBuilder var otherRoutes: [FunctionPart] {
        Get("/v1/status") { _, _ in Response() }
        Get("/v1/statusz") { _, _ in Response() }
        Get("/v1/version") { _, _ in version }
        Get("/v1/health") { _, _ in .json(["healthy": true]) }
        // Nothing is kept between us and the clients.
        Delete("/v1/cdn", purgedCache)
        Delete("/v1/cdn/*", purgedCache)
    }

    private var version: Response {
        var response = Response(body: Array("Swiftlet".utf8))
        response.headers.append(.contentType, "text/plain; charset=utf-8")
        return response
    }

    @Sendable private func purgedCache(_ request: Request, _ context: Context) async throws -> Response {
        _ = try await call(request, context, "object.purge_cache")
        return .json(["message": "success"])
    }
}
