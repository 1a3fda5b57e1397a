import Foundation
import SwiftletAuth
import SwiftletHTTP
import SwiftletStorage
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletFiles

/// Deletes beside a running download: objects that go while somebody reads them through a socket that takes no more.
@Suite(.needsDatabase, .hangLimit) struct RunningDownloadTests {
    /// More than the buffers of both ends of a connection hold.
    private static let content = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }

    private static var chunks: AsyncStream<[UInt8]> {
        AsyncStream { stream in
            for start in stride(from: 0, to: content.count, by: 100_000) {
                stream.yield(Array(content[start..<min(content.count, start + 100_000)]))
            }
            stream.finish()
        }
    }

    private enum Change: CaseIterable { case deleted, deletedBySQL, replaced, emptied }

    /// The file goes at once; whoever has it open has all of it.
    @Test(arguments: Change.allCases)
    private func `a download that has begun ends whole, whatever becomes of the object and its file`(
        change: Change
    ) async throws {
        try await FilesServer.with(maximumBytes: 64 << 20) { files in
            try await read(files, in: files.storage) {
                try await make(change, files)
                #expect(try await files.purge() == 1)
                #expect(files.files.count == (change == .replaced ? 1 : 0))
            }
        }
    }

    /// Of a bucket, pieces are read one after another: files stay until the purge, which waits a day for their readers.
    @Test(.enabled(if: Python.hasPackages, "no moto: run .ci/setup test with a package index in reach"))
    func `from a bucket too, as the purge waits for readers`() async throws {
        let server = try await blocking { Result { try PythonServer.start("s3_server.py") } }.get()
        let settings = try bucket(server)
        try await FilesServer.with(maximumBytes: 64 << 20, store: S3Bucket(settings)) { files in
            let storage = ObjectStorage(S3Bucket(settings))
            let purge = FilePurge(storage: storage, after: FilesSettings().purgeAge)
            try await read(files, in: storage) {
                try await make(.deleted, files)
                #expect(try await purge.run(files.context) == 0)
            }
        }
    }

    /// What an operator has who has the purge wait for nobody: the connection ends, and nothing else is sent in its place.
    @Test(.enabled(if: Python.hasPackages, "no moto: run .ci/setup test with a package index in reach"))
    func `what is gone from a bucket is cut off, and not taken for whole`() async throws {
        let server = try await blocking { Result { try PythonServer.start("s3_server.py") } }.get()
        let settings = try bucket(server)
        try await FilesServer.with(maximumBytes: 64 << 20, store: S3Bucket(settings)) { files in
            let storage = ObjectStorage(S3Bucket(settings))
            let purge = FilePurge(storage: storage, after: .zero)
            await #expect(throws: SocketClient.Failure.self) {
                try await read(files, in: storage) {
                    try await make(.deleted, files)
                    #expect(try await purge.run(files.context) == 1)
                }
            }
        }
    }

    private func bucket(_ server: PythonServer) throws -> S3Settings {
        let text: (String) throws -> String = { try #require(server.announcement[$0]?.string) }
        return S3Settings(
            endpoint: try text("endpoint"),
            bucket: try text("bucket"),
            region: "eu-central-1",
            accessKey: try text("access"),
            secretKey: Secret(try text("secret"))
        )
    }

    private func make(_ change: Change, _ files: FilesServer) async throws {
        switch change {
        case .deleted: _ = try await files.json(.delete, "object/pictures/a")
        case .deletedBySQL: try files.application.execute("DELETE FROM storage.objects")
        case .replaced: _ = try await files.json(.put, "object/pictures/a", "another")
        case .emptied: _ = try await files.json(.post, "bucket/pictures/empty")
        }
    }

    /// Begins a download, has `meanwhile` done while most of it is still to come, and compares all of it.
    private func read(
        _ files: FilesServer,
        in storage: ObjectStorage,
        meanwhile: () async throws -> Void
    ) async throws {
        let stored = try await FileStore(storage: storage).put(Self.chunks, limit: .max)
        try files.application.execute(
            """
            INSERT INTO storage.objects (bucket_id, name, version, metadata) VALUES ('pictures', 'a',
                '\(stored.version.text)', '{"size":\(stored.size),"mimetype":"video/mp4","eTag":"\\"\(stored.md5)\\""}')
            """
        )
        try await files.withPort { port in
            let client = try SocketClient(port: port, receiveBuffer: 65_536)
            try client.send("GET /storage/v1/object/public/pictures/a HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = try await blocking { Result { try client.reply(isHead: true) } }.get()
            #expect(head.status == 200)
            #expect(head.header("content-length") == "\(Self.content.count)")
            try await meanwhile()
            let later = try await files.sendAnonymously(.get, "object/public/pictures/a")
            #expect(later.status == .badRequest || later.text == "another")
            let received = try await blocking {
                Result { () throws(SocketClient.Failure) in
                    // In pieces: what is taken is cut off the front of all that has come.
                    var bytes: [UInt8] = []
                    while bytes.count < Self.content.count {
                        bytes += try client.bytes(min(250_000, Self.content.count - bytes.count))
                    }
                    return bytes
                }
            }.get()
            #expect(received == Self.content)
        }
    }
}
