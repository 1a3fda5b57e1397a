import Foundation
import SwiftletAuth
import SwiftletHTTP
import SwiftletStorage
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletFiles

/// Objects in an S3 whose connections are refused, hang or break. A request to it is given up after half a second.
@Suite(
    .needsDatabase,
    .enabled(if: Python.hasPackages, "no moto: run .ci/setup test with a package index in reach"),
    .hangLimit
)
struct BucketFaultTests {
    private static let content = String(repeating: "0123456789abcdef", count: 20_000)

    private func with(_ body: (FilesServer, PythonServer) async throws -> Void) async throws {
        let server = try await blocking { Result { try PythonServer.start("s3_server.py") } }.get()
        let text: (String) throws -> String = { try #require(server.announcement[$0]?.string) }
        let settings = S3Settings(
            endpoint: try text("proxy"),
            bucket: try text("bucket"),
            region: "eu-central-1",
            accessKey: try text("access"),
            secretKey: Secret(try text("secret"))
        )
        let folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-partials-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bucket = S3Bucket(settings, partials: PartialFolder(path: folder), timeout: .milliseconds(500))
        try await FilesServer.with(store: bucket) { try await body($0, server) }
    }

    private func ask(_ server: PythonServer, _ line: String) async throws {
        _ = try await blocking { Result { try server.ask(line) } }.get()
    }

    @Test(arguments: ["refuse", "hang", "up 100000", "down 10"])
    func `an upload that S3 does not take has no row, and what was there stays`(fault: String) async throws {
        try await with { files, server in
            _ = try await files.json(.post, "object/pictures/a", "before")
            try await ask(server, fault)
            let refused = try await files.send(.put, "object/pictures/a", Self.content)
            #expect(refused.status == 500, "\(refused.text)")
            #expect(try FilesServer.fault(refused).hasPrefix("500 "))
            #expect(try await files.send(.post, "object/pictures/b", Self.content).status == 500)
            #expect(try files.application.count("storage.objects") == 1)
            try await ask(server, "none")
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == "before")
            _ = try await files.json(.put, "object/pictures/a", Self.content)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == Self.content)
        }
    }

    @Test(arguments: ["refuse", "hang", "down 20", "down 50000"])
    func `a download that S3 breaks off is never taken for whole`(fault: String) async throws {
        try await with { files, server in
            _ = try await files.json(.post, "object/pictures/a", Self.content)
            try await ask(server, fault)
            let broken = try await files.sendAnonymously(.get, "object/public/pictures/a")
            // What ends within its body is a 502 of the test, as the connection then ends.
            #expect(broken.status.rawValue >= 500, "\(broken.status)")
            try await ask(server, "none")
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == Self.content)
        }
    }

    /// The last byte has come, and the bucket takes nothing: whoever asks later has it finished.
    @Test(arguments: ["refuse", "hang", "up 100000"])
    func `a resumable upload goes on once S3 does`(fault: String) async throws {
        try await with { files, server in
            let upload = try await files.begin("pictures", "a", length: Self.content.utf8.count)
            let half = Self.content.utf8.count / 2
            #expect(try await upload.patch(String(Self.content.prefix(half)), at: 0) == "204 \(half)")
            try await ask(server, fault)
            #expect(try await upload.patch(String(Self.content.dropFirst(half)), at: half).hasPrefix("500 "))
            #expect(try files.application.count("storage.objects") == 0)
            try await ask(server, "none")
            #expect(try await upload.offset() == Self.content.utf8.count)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == Self.content)
        }
    }

    /// The row is gone at once; its file goes with the first purge that reaches S3.
    @Test func `a purge that cannot reach S3 comes again`() async throws {
        try await with { files, server in
            _ = try await files.json(.post, "object/pictures/a", "x")
            _ = try await files.json(.delete, "object/pictures/a")
            let settings = try #require(server.announcement["proxy"]?.string)
            let bucket = S3Bucket(
                S3Settings(
                    endpoint: settings,
                    bucket: server.announcement["bucket"]?.string ?? "",
                    region: "eu-central-1",
                    accessKey: server.announcement["access"]?.string ?? "",
                    secretKey: Secret(server.announcement["secret"]?.string ?? "")
                ),
                timeout: .milliseconds(500)
            )
            let purge = FilePurge(storage: ObjectStorage(bucket), after: .zero)
            try await ask(server, "refuse")
            await #expect(throws: StorageError.self) { try await purge.run(files.context) }
            #expect(try files.application.count("storage.swiftlet_purge") == 1)
            try await ask(server, "none")
            #expect(try await purge.run(files.context) == 1)
            #expect(try files.application.count("storage.swiftlet_purge") == 0)
        }
    }
}
