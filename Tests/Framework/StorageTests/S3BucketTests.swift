import SwiftletAuth
import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletStorage

/// Against moto, which checks each signature.
@Suite(
    .enabled(if: Python.hasPackages, "no moto: run .ci/setup test with a package index in reach"),
    .serialized,
    .timeLimit(.minutes(5))
)
final class S3BucketTests: Sendable {
    private let server: PythonServer
    private let settings: S3Settings
    private var storage: ObjectStorage { ObjectStorage(S3Bucket(settings)) }

    init() throws {
        let server = try PythonServer.start("s3_server.py")
        let text: (String) throws -> String = { try #require(server.announcement[$0]?.string) }
        self.server = server
        settings = S3Settings(
            endpoint: try text("endpoint") + "/",
            bucket: try text("bucket"),
            region: "eu-central-1",
            accessKey: try text("access"),
            secretKey: Secret(try text("secret"))
        )
    }

    @Test func `keeps objects of any size, in parts where they are large`() async throws {
        let part = S3Upload.partBytes(1)
        try await StoreContract.keepsObjects(
            in: storage,
            sizes: [0, 1, 1_048_577, part - 1, part, part + 1, 2 * part + 7]
        )
        #expect(try server.ask() == ["objects": [], "uploads": 0])
    }

    @Test func `shows nothing unfinished, and leaves nothing of it`() async throws {
        try await StoreContract.showsNothingUnfinished(in: storage, size: S3Upload.partBytes(1) + 100_000)
        #expect(try server.ask() == ["objects": ["tenant/files/one.png"], "uploads": 0])
    }

    @Test(arguments: [nil, 1, 2, 3, 10]) func `lists objects, page by page`(pageKeys: Int?) async throws {
        try await StoreContract.lists(in: ObjectStorage(S3Bucket(settings, pageKeys: pageKeys)))
    }

    @Test func `tells a replaced object by its stamp`() async throws {
        try await StoreContract.stamps(in: storage)
    }

    @Test func `stores what has come in several requests`() async throws {
        let folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-partials-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bucket = S3Bucket(settings, partials: PartialFolder(path: folder))
        try await StoreContract.adoptsPartials(in: ObjectStorage(bucket), sizes: [0, 1, S3Upload.partBytes(1) + 7])
    }

    @Test func `an object that is replaced while it is read is not mixed with the new one`() async throws {
        let key = StoreContract.key
        _ = try await storage.put(StoreContract.chunks(1_500_000), at: key, contentType: .bytes, limit: .max)
        var chunks = try #require(await storage.get(key)).chunks.makeAsyncIterator()
        _ = try await chunks.next()
        _ = try await storage.put(StoreContract.chunks(1_500_001), at: key, contentType: .bytes, limit: .max)
        await #expect(throws: StorageError.damaged) { _ = try await chunks.next() }
    }

    @Test func `parts make room for what is larger than any dump`() {
        let sizes = (1...10_000).map(S3Upload.partBytes)
        #expect(sizes.allSatisfy { (5 << 20...5 << 30).contains($0) })
        #expect(sizes.reduce(0, +) > 2 << 40)
    }

    /// Each fault ends with an error that says so, in time, and nothing half done is shown.
    @Test(arguments: ["refuse", "hang", "up 100", "up 300000", "down 0", "down 20", "down 200"])
    func `nothing is half stored where the server fails`(fault: String) async throws {
        let proxied = try proxied()
        _ = try server.ask(fault)
        await #expect(throws: StorageError.self) {
            let chunks = StoreContract.chunks(6_000_000)
            _ = try await proxied.put(chunks, at: StoreContract.key, contentType: .bytes, limit: .max)
        }
        #expect(try server.ask("none")["objects"] == [])
        // And works again behind it, on a connection that the fault has left or on a new one.
        _ = try await proxied.put(StoreContract.chunks(10), at: StoreContract.key, contentType: .bytes, limit: .max)
        #expect(try server.ask()["objects"] == ["tenant/files/one.png"])
    }

    @Test(arguments: ["refuse", "hang", "down 20", "down 300000"])
    func `what is read is whole, or an error`(fault: String) async throws {
        let whole = StoreContract.content(0..<1_500_000)
        _ = try await storage.put(
            StoreContract.chunks(whole.count),
            at: StoreContract.key,
            contentType: .bytes,
            limit: .max
        )
        let proxied = try proxied()
        let object = try #require(await proxied.get(StoreContract.key))
        _ = try server.ask(fault)
        await #expect(throws: StorageError.self) { _ = try await StoreContract.read(object.chunks) }
        _ = try server.ask("none")
        #expect(try await StoreContract.read(object.chunks) == whole)
    }

    @Test func `one answer that breaks off is asked for again`() async throws {
        _ = try await storage.put(StoreContract.chunks(9), at: StoreContract.key, contentType: .bytes, limit: .max)
        _ = try server.ask("once 10")
        let object = try #require(await proxied().get(StoreContract.key))
        #expect(try await StoreContract.read(object.chunks) == StoreContract.content(0..<9))
    }

    /// By way of the port whose connections have faults.
    private func proxied() throws -> ObjectStorage {
        var changed = settings
        changed.endpoint = try #require(server.announcement["proxy"]?.string)
        return ObjectStorage(S3Bucket(changed, timeout: .milliseconds(500)))
    }

    @Test func `says why it cannot store anything, and no secret`() async throws {
        try await storage.probe()
        let changes: [(WritableKeyPath<S3Settings, String>, String)] = [
            (\.bucket, "other"), (\.accessKey, "unknown"), (\.endpoint, "http://127.0.0.1:1"),
        ]
        for (path, value) in changes {
            var wrong = settings
            wrong[keyPath: path] = value
            await expectFailure(wrong)
        }
        var wrong = settings
        wrong.secretKey = Secret("not the secret")
        await expectFailure(wrong)
    }

    private func expectFailure(_ settings: S3Settings) async {
        let storage = ObjectStorage(S3Bucket(settings))
        do {
            try await storage.probe()
            Issue.record("\(settings.bucket) \(settings.accessKey) \(settings.endpoint) works")
        } catch {
            let text = "\(error)"
            #expect(error is StorageError, "\(text)")
            #expect(text.contains("S3 server"), "\(text)")
            #expect(!text.contains("secret"), "\(text)")
            #expect(!text.contains(settings.accessKey), "\(text)")
        }
    }
}
