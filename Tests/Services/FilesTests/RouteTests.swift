import SwiftletHTTP
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletFiles

/// The routes that clients of Supabase Storage ask for.
@Suite(.needsDatabase, .hangLimit) struct RouteTests {
    @Test func `each route of Supabase Storage is there`() async throws {
        let routes: [(SwiftletHTTP.Method, [String])] = [
            (
                .get,
                [
                    "bucket", "bucket/b", "object/b/a", "object/authenticated/b/a", "object/public/b/a",
                    "object/info/b/a",
                    "object/info/authenticated/b/a", "object/info/public/b/a", "object/sign/b/a",
                    "render/image/public/b/a", "render/image/authenticated/b/a", "render/image/sign/b/a", "status",
                    "version",
                    "health",
                ]
            ),
            (
                .head,
                [
                    "object/b/a", "object/authenticated/b/a", "object/public/b/a", "object/info/authenticated/b/a",
                    "upload/resumable/x", "upload/resumable/sign/x",
                ]
            ),
            (
                .post,
                [
                    "bucket", "bucket/b/empty", "object/b/a", "object/move", "object/copy", "object/list/b",
                    "object/list-v2/b", "object/sign/b/a", "object/sign/b", "object/upload/sign/b/a",
                    "upload/resumable",
                    "upload/resumable/sign",
                ]
            ),
            (.put, ["bucket/b", "object/b/a", "object/upload/sign/b/a"]),
            (.patch, ["upload/resumable/x", "upload/resumable/sign/x"]),
            (
                .delete,
                [
                    "bucket/b", "object/b/a", "object/b", "upload/resumable/x", "upload/resumable/sign/x", "cdn/b/a",
                ]
            ),
            (.options, ["upload/resumable", "upload/resumable/sign"]),
        ]
        try await FilesServer.with { files in
            for (method, paths) in routes {
                for path in paths {
                    let response = try await files.send(method, path, "", ["Tus-Resumable": "1.0.0"])
                    #expect(!response.text.contains("Route \(method.rawValue):"), "\(method) \(path): \(response.text)")
                    #expect(response.status != .methodNotAllowed, "\(method) \(path)")
                }
            }
            let unknown = try await files.send(.get, "iceberg/x")
            #expect(unknown.status == .notFound && unknown.text.contains("Route GET:"))
        }
    }
}
