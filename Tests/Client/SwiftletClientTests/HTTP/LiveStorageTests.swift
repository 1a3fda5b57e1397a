import Foundation
import SwiftletClient
import SwiftletJSON
import SwiftletTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Files over HTTP, against the real storage.
@Suite(.needsDatabase, .hangLimit)
struct LiveStorageTests {
    /// A bucket where everybody who is signed in has a folder, and one that all read.
    private static let buckets = """
        INSERT INTO storage.buckets (id, name, public) VALUES ('own', 'own', false), ('shown', 'shown', true);
        CREATE POLICY own_folder ON storage.objects TO authenticated
            USING ((storage.foldername(name))[1] = auth.uid()::text)
            WITH CHECK ((storage.foldername(name))[1] = auth.uid()::text);
        """

    private static let folder = LiveServer.userID

    private func withStorage(
        transport: (any Transport)? = nil,
        _ body: (LiveServer, APIClient, StorageBucket) async throws -> Void
    ) async throws {
        try await LiveServer.with { server in
            try server.execute(Self.buckets)
            let client = try await server.signedIn(transport: transport) { $0.retry.sleep = { _ in } }
            try await body(server, client, StorageClient(client).from("own"))
        }
    }

    @Test func `files are stored, found, read, moved and removed`() async throws {
        try await withStorage { _, _, own in
            let path = "\(Self.folder)/a b+c&.txt"
            let text = Data("Hello".utf8)
            let options = FileOptions(contentType: "text/plain", metadata: ["of": "Grace"])
            let stored = try await own.upload(path, data: text, options: options)
            #expect(stored.fullPath == "own/\(path)")
            #expect(stored.path == path)
            await #expect(throws: APIError.conflict) { try await own.upload(path, data: text, options: options) }
            #expect(try await own.download(path: path) == text)
            let info = try await own.info(path: path)
            #expect(info.size == 5)
            #expect(info.contentType == "text/plain")
            #expect(info.cacheControl == "max-age=3600")
            #expect(info.metadata == ["of": "Grace"])
            try await own.update(path, data: Data("Bye".utf8), options: options)
            #expect(try await own.download(path: path) == Data("Bye".utf8))

            try await own.copy(from: path, to: "\(Self.folder)/deep/copy.txt")
            try await own.move(from: path, to: "\(Self.folder)/moved.txt")
            #expect(try await own.exists(path: path) == false)
            #expect(try await own.exists(path: "\(Self.folder)/moved.txt"))
            let rows = try await own.list(path: Self.folder)
            #expect(rows.map(\.name) == ["deep", "moved.txt"])
            #expect(rows.map(\.isFolder) == [true, false])
            #expect(rows.last?.metadata?.size == 3)
            let last = try await own.list(path: Self.folder, options: SearchOptions(limit: 1, offset: 1))
            #expect(last.map(\.name) == ["moved.txt"])
            let removed = try await own.remove(paths: ["\(Self.folder)/moved.txt", "\(Self.folder)/none"])
            #expect(removed.map(\.name) == ["\(Self.folder)/moved.txt"])
            await #expect(throws: APIError.notFound) { try await own.download(path: "\(Self.folder)/moved.txt") }
        }
    }

    @Test func `others' folders are closed`() async throws {
        try await withStorage { server, _, own in
            try await own.upload("\(Self.folder)/mine", data: Data([1]))
            await #expect(throws: APIError.forbidden) { try await own.upload("elsewhere/a", data: Data([1])) }
            let anybody = StorageClient(server.client()).from("own")
            await #expect(throws: APIError.self) { try await anybody.download(path: "\(Self.folder)/mine") }
            #expect(try await own.list(path: "elsewhere").isEmpty)
        }
    }

    @Test func `addresses open files for those who have no account`() async throws {
        try await withStorage { server, client, own in
            let good = "\(Self.folder)/ä b.txt"
            try await own.upload(good, data: Data("Hi".utf8), options: FileOptions(contentType: "text/plain"))
            let url = try await own.createSignedURL(path: good, expiresIn: 60, download: "x.txt")
            let (data, response) = try await URLSession.shared.data(from: url)
            #expect(data == Data("Hi".utf8))
            let disposition = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Disposition")
            #expect(disposition?.contains("x.txt") == true)
            let urls = try await own.createSignedURLs(paths: [good, "\(Self.folder)/none"], expiresIn: 60)
            #expect(urls.map(\.path) == [good, "\(Self.folder)/none"])
            #expect(urls.map { $0.url == nil } == [false, true])

            let signed = try await own.createSignedUploadURL(path: "\(Self.folder)/gift.txt")
            let stranger = StorageClient(server.client()).from("own")
            try await stranger.uploadToSignedURL(path: signed.path, token: signed.token, data: Data("Gift".utf8))
            #expect(try await own.download(path: signed.path) == Data("Gift".utf8))

            let shown = StorageClient(client).from("shown")
            let image = try shown.getPublicURL(
                path: "a/b c.png",
                options: TransformOptions(width: 40, resize: .contain)
            )
            #expect(
                image.absoluteString
                    == "http://127.0.0.1:\(server.port)/storage/v1/render/image/public/shown/a/b%20c.png?width=40&resize=contain"
            )
        }
    }

    @Test func `buckets are made, changed and deleted by the service's key`() async throws {
        try await LiveServer.with { server in
            let key = try TestApplication.token(claims: ["role": "service_role"])
            let storage = StorageClient(server.client { $0.apiKey = key })
            try await storage.createBucket(
                "new",
                options: BucketOptions(public: true, fileSizeLimit: "1MB", allowedMimeTypes: ["image/*"])
            )
            let bucket = try await storage.getBucket("new")
            #expect(bucket.isPublic)
            #expect(bucket.fileSizeLimit == 1_000_000)
            #expect(bucket.allowedMimeTypes == ["image/*"])
            let image = FileOptions(contentType: "image/png")
            await #expect(throws: APIError.refused(.init(status: 415, code: "InvalidMimeType"))) {
                try await storage.from("new").upload("a.txt", data: Data([1]))
            }
            try await storage.from("new").upload("a.png", data: Data([1]), options: image)
            await #expect(throws: APIError.conflict) { try await storage.deleteBucket("new") }
            try await storage.from("new").remove(paths: ["a.png"])
            try await storage.updateBucket("new", options: BucketOptions(public: false))
            #expect(try await storage.listBuckets().map(\.isPublic) == [false])
            try await storage.deleteBucket("new")
            await #expect(throws: APIError.notFound) { try await storage.getBucket("new") }
        }
    }

    @Test func `a large file goes up in pieces, whatever is lost on its way, and comes down as it was`() async throws {
        let transport = UnreliableTransport()
        try await withStorage(transport: transport) { _, _, own in
            let folder = try Folder()
            // Three pieces, the last one short.
            let file = try folder.file("film.mov", bytes: 13 << 20)
            let seen = Seen()
            let path = "\(Self.folder)/film.mov"
            // The answers to the beginning and to a piece are lost: what has arrived is not sent again.
            await transport.lose(nextAnswerTo: ["POST", "PATCH"])
            let stored = try await own.uploadResumable(path, file: file, progress: { seen.add($0.completed) })
            #expect(stored.fullPath == "own/\(path)")
            #expect(seen.all == [0, 6 << 20, 12 << 20, 13 << 20])
            #expect(try await own.info(path: path).size == 13 << 20)
            let copy = folder.url.appending(path: "copy.mov")
            try await own.download(path: path, to: copy)
            #expect(try Data(contentsOf: copy) == Data(contentsOf: file))
            // Again, twice at once: each puts a whole file there.
            async let first: Void = own.download(path: path, to: copy)
            async let second: Void = own.download(path: path, to: copy)
            _ = try await (first, second)
            #expect(try Data(contentsOf: copy) == Data(contentsOf: file))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
                    "copy.mov", "film.mov",
                ]
            )
        }
    }

    @Test func `an upload of the background goes on with the next start of the app`() async throws {
        try await withStorage { server, client, own in
            let folder = try Folder()
            let file = try folder.file("film.mov", bytes: 3 << 20)
            let path = "\(Self.folder)/film.mov"
            let transfers = NotedTransfers()
            let begun = try await BackgroundUploads(client, transfers: transfers).begin(path, in: "own", file: file)
            // The system has sent a part of it when the person ends the app.
            try await Self.send(transfers.started[0].request, transfers.started[0].content.prefix(1 << 20))
            await transfers.giveUp()
            let later = BackgroundUploads(client, transfers: transfers)
            #expect(try await later.resume().isEmpty)
            let rest = await transfers.started[1]
            #expect(rest.content.count == 2 << 20)
            let status = try await Self.send(rest.request, rest.content)
            await transfers.giveUp()
            guard case .finished? = try await later.ended(begun.id, status: status) else {
                Issue.record("\(status) is not the end")
                return
            }
            #expect(try await own.download(path: path) == Data(contentsOf: file))
        }
    }

    @discardableResult
    private static func send(_ request: URLRequest, _ content: Data) async throws -> Int {
        var request = request
        request.httpBody = content
        return try await URLSession.shared.send(request).1.statusCode
    }

    @Test func `an upload that was given up goes on with the next call, also of another process`() async throws {
        try await LiveServer.with { server in
            try server.execute(Self.buckets)
            let store = InMemoryTokenStore()
            let first = server.client(tokens: store)
            try await AuthManager(client: first).login(email: LiveServer.email, password: LiveServer.password)
            let folder = try Folder()
            let file = try folder.file("film.mov", bytes: 13 << 20)
            let path = "\(Self.folder)/film.mov"
            let upload = Task {
                try await StorageClient(first).from("own").uploadResumable(path, file: file) { progress in
                    // The person leaves the app.
                    if progress.completed == 6 << 20 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                }
            }
            await #expect(throws: (any Error).self) { try await upload.value }
            await server.stop()
            try await server.startAgain()
            let seen = Seen()
            let second = StorageClient(server.client(tokens: store)).from("own")
            try await second.uploadResumable(path, file: file, progress: { seen.add($0.completed) })
            // Of the second piece some may have arrived.
            #expect(try #require(seen.all.first) >= 6 << 20)
            #expect(try await second.info(path: path).size == 13 << 20)
            // Nothing is kept of what has arrived: the same file is a new upload, which the name refuses.
            await #expect(throws: APIError.conflict) { try await second.uploadResumable(path, file: file) }
        }
    }
}

private final class Seen: Sendable {
    private let numbers = Locked<[Int64]>([])

    func add(_ number: Int64) { numbers.withLock { $0.append(number) } }
    var all: [Int64] { numbers.withLock(\.self) }
}

/// A folder that ends with the test.
private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "swiftlet-client-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// With bytes that differ from place to place.
    func file(_ name: String, bytes: Int) throws -> URL {
        let file = url.appending(path: name)
        try Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }).write(to: file)
        return file
    }
}
