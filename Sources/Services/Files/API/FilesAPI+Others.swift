import SwiftletHTTP
import SwiftletWeb

extension FilesAPI {
    /// What clients and operators of Supabase Storage ask besides objects.
    @FunctionBuilder var otherRoutes: [FunctionPart] {
        Get("/v1/status") { _, _ in Response() }
        Get("/v1/health") { _, _ in .json(["healthy": true]) }
        // Nothing is kept between us and the clients.
        Delete("/v1/cdn/*", purgedCache)
    }

    @Sendable private func purgedCache(_ request: Request, _ context: Context) async throws -> Response {
        _ = try await call(request, context, "object.purge_cache")
        return .json(["message": "success"])
    }
}
