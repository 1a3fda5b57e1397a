import SwiftletHTTP
import SwiftletStorage
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

/// Resumable uploads through real sockets, which break.
@Suite(.needsDatabase, .hangLimit) struct LiveResumableTests {
    private static func head(_ upload: Upload, at offset: Int, length: String) throws -> String {
        """
        PATCH /storage/v1/\(upload.path) HTTP/1.1\r\nHost: x\r
        Authorization: Bearer \(try FilesServer.token(role: "service_role"))\r\nTus-Resumable: 1.0.0\r
        Content-Type: application/offset+octet-stream\r\nUpload-Offset: \(offset)\r\n\(length)\r\n\r\n
        """
    }

    /// The phone is gone, and comes by another network while the server still waits for the first.
    @Test(arguments: [true, false])
    func `a piece that is cut off goes on at what was kept`(isGone: Bool) async throws {
        try await FilesServer.with(maximumBytes: 8 << 20) { files in
            try await files.withPort { port in
                let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
                let upload = try await files.begin("pictures", "a", length: content.count)
                let first = try SocketClient(port: port)
                try first.send(Self.head(upload, at: 0, length: "Content-Length: \(content.count)"))
                try first.send(Array(content[..<2_000_000]))
                // All of it, so that nothing of it is still on the way.
                let hasArrived = try await eventually { try await upload.offset() == 2_000_000 }
                #expect(hasArrived)
                if isGone { first.reset() }
                let second = try SocketClient(port: port)
                let rest = Array(content[2_000_000...])
                try second.send(Self.head(upload, at: 2_000_000, length: "Content-Length: \(rest.count)"))
                try second.send(rest)
                let reply = try second.reply()
                #expect(reply.status == 204)
                #expect(reply.header("upload-offset") == "3000000")
                if !isGone {
                    try first.send(rest)
                    #expect(try first.reply().status == 409)
                }
                try second.send("GET /storage/v1/object/public/pictures/a HTTP/1.1\r\nHost: x\r\n\r\n")
                let got = try second.reply(isHead: true)
                #expect(got.header("content-length") == "3000000")
                #expect(files.files.count == 1)
                let storage = ObjectStorage(LocalFolder(path: files.folder))
                let version = FileVersion(text: String(try #require(files.files.first?.split(separator: "/").last)))
                let key = try #require(version.key)
                let object = try #require(await storage.get(key))
                var stored: [UInt8] = []
                for try await chunk in object.chunks { stored += chunk }
                #expect(stored == content)
            }
        }
    }

    @Test func `of chunks that are longer than said, what was said is kept at most`() async throws {
        try await FilesServer.with { files in
            try await files.withPort { port in
                let upload = try await files.begin("pictures", "a", length: 5)
                let client = try SocketClient(port: port)
                try client.send(Self.head(upload, at: 0, length: "Transfer-Encoding: chunked"))
                try client.send("3\r\nhel\r\n")
                let hasArrived = try await eventually { try await upload.offset() == 3 }
                #expect(hasArrived)
                try client.send("3\r\nlo!\r\n0\r\n\r\n")
                #expect(try client.reply().status == 413)
                #expect(try await upload.offset() == 3)
                #expect(try files.application.count("storage.objects") == 0)
            }
        }
    }
}
