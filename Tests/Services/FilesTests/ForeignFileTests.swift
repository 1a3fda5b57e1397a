import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

/// Rows whose content Supabase has stored.
@Suite(.needsDatabase, .hangLimit) struct ForeignFileTests {
    private static let row = """
        INSERT INTO storage.objects (bucket_id, name, version, metadata) VALUES (
            'pictures', 'a b/c.txt', '0f4b9a52-2f5c-4a5e-9c57-1b7f3a1d0c11',
            '{"eTag":"\\"5d41402abc4b2a76b9719d911017c592\\"","size":5,"mimetype":"text/plain","cacheControl":"no-cache"}'
        );
        """

    private func with(_ content: String, _ body: (FilesServer) async throws -> Void) async throws {
        let path = "\(FileManager.default.temporaryDirectory.path)/swiftlet-supabase-\(UUID().uuidString)"
        let folder = "\(path)/pictures/a b/c.txt"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(content.utf8).write(to: URL(filePath: "\(folder)/0f4b9a52-2f5c-4a5e-9c57-1b7f3a1d0c11"))
        try await FilesServer.with(sql: Self.row) {
            $0.supabasePath = path
        } _: { files in
            try await body(files)
        }
    }

    @Test func `are read from its folder, copied and replaced`() async throws {
        try await with("hello") { files in
            let path = "object/public/pictures/a%20b/c.txt"
            let got = try await files.sendAnonymously(.get, path)
            #expect(got.text == "hello")
            #expect(got.headers[.contentType] == "text/plain")
            #expect(got.headers[.etag] == "\"5d41402abc4b2a76b9719d911017c592\"")
            let part = try await files.sendAnonymously(.get, path, "", ["Range": "bytes=1-2"])
            #expect(part.text == "el")
            let copy = #"{"bucketId":"pictures","sourceKey":"a b/c.txt","destinationKey":"copy"}"#
            _ = try await files.json(.post, "object/copy", copy)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/copy").text == "hello")
            _ = try await files.json(.put, "object/pictures/a%20b/c.txt", "again")
            #expect(try await files.sendAnonymously(.get, path).text == "again")
        }
    }

    @Test func `are not moved, as their name is in their path`() async throws {
        try await with("hello") { files in
            let move = #"{"bucketId":"pictures","sourceKey":"a b/c.txt","destinationKey":"there"}"#
            let response = try await files.send(.post, "object/move", move)
            #expect(try FilesServer.fault(response).hasPrefix("400 an object that Supabase has stored"))
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a%20b/c.txt").text == "hello")
        }
    }

    @Test func `are not found where their folder is not known`() async throws {
        try await FilesServer.with(sql: Self.row) { files in
            let path = "object/public/pictures/a%20b/c.txt"
            let response = try await files.sendAnonymously(.get, path)
            #expect(try FilesServer.fault(response) == "404 The content of this object is not on this server")
            #expect(try JSONParser.parse(response.body)["hint"]?.string?.contains("STORAGE_SUPABASE_PATH") == true)
            #expect(try await files.sendAnonymously(.head, path).status == .ok)
            let move = #"{"bucketId":"pictures","sourceKey":"a b/c.txt","destinationKey":"there"}"#
            #expect(try await files.send(.post, "object/move", move).status == .badRequest)
        }
    }

    @Test(arguments: ["../pictures", ".", ""])
    func `lie below the folder, whatever a row says`(version: String) async throws {
        try await with("hello") { files in
            try files.application.execute("UPDATE storage.objects SET version = '\(version)'")
            let response = try await files.sendAnonymously(.get, "object/public/pictures/a%20b/c.txt")
            #expect(try FilesServer.fault(response).hasPrefix("404 "))
        }
    }
}
