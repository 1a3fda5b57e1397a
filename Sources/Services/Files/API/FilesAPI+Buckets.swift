import SwiftletHTTP
import SwiftletWeb

extension FilesAPI {
    @FunctionBuilder var bucketRoutes: [FunctionPart] {
        Post("/v1/bucket") { try await buckets($0, $1, "bucket.create").create() }
        Get("/v1/bucket") { try await buckets($0, $1, "bucket.list").list() }
        Get("/v1/bucket/:bucket") { try await buckets($0, $1, "bucket.get").get($1.parameters["bucket"]) }
        Put("/v1/bucket/:bucket") { try await buckets($0, $1, "bucket.update").update($1.parameters["bucket"]) }
        Delete("/v1/bucket/:bucket") { try await buckets($0, $1, "bucket.delete").delete($1.parameters["bucket"]) }
        Post("/v1/bucket/:bucket/empty") {
            try await buckets($0, $1, "bucket.empty").empty($1.parameters["bucket"])
        }
    }

    private func buckets(
        _ request: Request,
        _ context: Context,
        _ operation: String
    ) async throws(FilesError) -> BucketActions {
        BucketActions(call: try await call(request, context, operation), maximumFileBytes: files.maximumBytes)
    }
}
