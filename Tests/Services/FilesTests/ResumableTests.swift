import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletStorage
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

/// Uploads by TUS 1.0.0.
@Suite(.needsDatabase, .hangLimit) struct ResumableTests {
    private static let mine = "\(FilesServer.ada)/a.txt"

    @Test func `says what it can`() async throws {
        try await FilesServer.with { files in
            let response = try await files.sendAnonymously(.options, "upload/resumable")
            #expect(response.status == .noContent)
            #expect(response.headers["Tus-Version"] == "1.0.0")
            #expect(response.headers["Tus-Extension"] == "creation,creation-with-upload,expiration,termination")
            #expect(response.headers["Tus-Max-Size"] == "5368709120")
        }
    }

    @Test func `takes a content in pieces, and makes the object with the last`() async throws {
        try await FilesServer.with { files in
            let upload = try await files.begin("own", Self.mine, length: 11, as: FilesServer.ada)
            #expect(try await upload.offset() == 0)
            #expect(try await upload.patch("hello ", at: 0) == "204 6")
            #expect(try await upload.offset() == 6)
            #expect(try files.application.count("storage.objects") == 0)
            #expect(try await upload.patch("world", at: 6) == "204 11")
            let got = try await files.send(.get, "object/own/\(Self.mine)", as: FilesServer.ada)
            #expect(got.text == "hello world")
            #expect(got.headers[.contentType] == "text/plain")
            #expect(got.headers[.cacheControl] == "max-age=60")
            #expect(got.headers[.etag] == "\"5eb63bbbe01eeed093cb22bb8f5acdc3\"")
            #expect(
                try files.application.count(
                    """
                    storage.objects WHERE owner_id = '\(FilesServer.ada)' AND user_metadata = '{"k":1}'
                    AND metadata ->> 'size' = '11' AND length(metadata ->> 'sha256') = 64
                    """
                ) == 1
            )
            #expect(files.files.count == 1)
            // Who has not heard of the end asks again.
            #expect(try await upload.offset() == 11)
            #expect(try await upload.patch("", at: 11) == "204 11")
            #expect(try await upload.patch("x", at: 10) == "409 ")
        }
    }

    @Test(arguments: [("hello", 5), ("hel", 5), ("", 0), ("", 5)])
    func `a creation may bring content`(content: String, length: Int) async throws {
        try await FilesServer.with { files in
            let upload = try await files.begin("pictures", "a", length: length, content: content)
            #expect(upload.made.headers["Upload-Offset"] == "\(content.utf8.count)")
            let isWhole = content.utf8.count == length
            #expect(try files.application.count("storage.objects") == (isWhole ? 1 : 0))
            if !isWhole { _ = try await upload.patch(String("hello".dropFirst(content.count)), at: content.count) }
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text.utf8.count == length)
            #expect(files.files.count == 1)
        }
    }

    @Test func `refuses what is not in order, and writes nothing of it`() async throws {
        try await FilesServer.with { files in
            let upload = try await files.begin("pictures", "a", length: 5)
            #expect(try await upload.patch("hel", at: 1) == "409 ")
            #expect(try await upload.patch("hel", at: 0) == "204 3")
            #expect(try await upload.patch("hel", at: 0) == "409 ")
            #expect(try await upload.patch("lo and more", at: 3) == "413 ")
            for headers in [
                ["Content-Type": "application/offset+octet-stream", "Upload-Offset": "3"],
                ["Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream"],
                ["Tus-Resumable": "1.0.0", "Content-Type": "text/plain", "Upload-Offset": "3"],
                [
                    "Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream",
                    "Upload-Offset": "-3",
                ],
            ] as [KeyValuePairs<Headers.Name, String>] {
                let status = try await files.send(.patch, upload.path, "lo", headers).status.rawValue
                #expect([400, 403, 412].contains(status))
            }
            #expect(try await upload.offset() == 3)
            #expect(try await upload.patch("lo", at: 3) == "204 5")
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == "hello")
        }
    }

    @Test(
        arguments: [
            ("own", "\(FilesServer.bob)/a", 5, "403 new row violates row-level security policy"),
            ("nowhere", "a", 5, "404 Bucket not found"),
            ("small", "a", 11, "413 Maximum size exceeded\n"),
            ("pictures", "a", 1001, "413 Maximum size exceeded\n"),
            ("pictures", "../a", 5, "400 Invalid key: ../a"),
            ("pictures", "there", 5, "409 The resource already exists"),
            ("", "a", 5, "400 Upload-Metadata lacks bucketName"),
        ]
    )
    func `asks before the content comes`(bucket: String, name: String, length: Int, fault: String) async throws {
        try await FilesServer.with {
            $0.maximumResumableBytes = 1000
        } _: { files in
            _ = try await files.json(.post, "object/pictures/there", "x")
            // Whom the policies refuse does not learn which buckets there are.
            let subject = bucket == "nowhere" ? nil : FilesServer.ada
            let upload = try await files.begin(bucket, name, length: length, content: "x", as: subject)
            #expect("\(upload.made.status.rawValue) \(upload.made.text)" == fault)
            #expect(upload.made.headers["Location"] == nil)
            #expect(try files.application.count("storage.swiftlet_uploads") == 0)
            #expect(files.files.count == 1)
        }
    }

    @Test(arguments: ["bucketName", "bucketName cGlj!", "bucketName cA==,bucketName cA==", "a b c"])
    func `refuses metadata that it cannot read`(metadata: String) async throws {
        try await FilesServer.with { files in
            let headers: KeyValuePairs<Headers.Name, String> = [
                "Tus-Resumable": "1.0.0", "Upload-Length": "5", "Upload-Metadata": metadata,
            ]
            let response = try await files.send(.post, "upload/resumable", "", headers)
            #expect(response.status == .badRequest)
            let lengthless = try await files.send(.post, "upload/resumable", "", ["Tus-Resumable": "1.0.0"])
            #expect(lengthless.status == .badRequest)
        }
    }

    @Test func `keeps of a cache control what a header can have`() async throws {
        try await FilesServer.with { files in
            _ = try await files.begin("pictures", "a", length: 2, content: "hi", cacheControl: "private\0\r\nx: y")
            let got = try await files.sendAnonymously(.get, "object/public/pictures/a")
            #expect(got.headers[.cacheControl] == "privatex: y")
        }
    }

    @Test func `an upload is its maker's alone`() async throws {
        try await FilesServer.with { files in
            var upload = try await files.begin("pictures", "a", length: 5, as: FilesServer.ada)
            for stranger in [FilesServer.bob, nil] {
                upload.subject = stranger
                #expect(try await upload.offset() == nil)
                #expect(try await upload.patch("hello", at: 0) == "404 ")
                #expect(try await upload.end() == 404)
            }
            upload.subject = FilesServer.ada
            #expect(try await upload.patch("hello", at: 0) == "204 5")
            let lost = Upload(files: files, path: "upload/resumable/\(UUID().uuidString)", made: upload.made)
            #expect(try await lost.patch("hello", at: 0) == "404 ")
            #expect(try await Upload(files: files, path: "upload/resumable/x", made: upload.made).offset() == nil)
        }
    }

    @Test func `policies are asked again at the end, and nothing stays of what they refuse`() async throws {
        try await FilesServer.with { files in
            let upload = try await files.begin("pictures", "a", length: 5, content: "hell", as: FilesServer.ada)
            try files.application.execute("DROP POLICY pictures ON storage.objects")
            #expect(try await upload.patch("o", at: 4) == "403 ")
            #expect(try await upload.offset() == nil)
            #expect(files.files == [])
            #expect(try files.application.count("storage.swiftlet_uploads") == 0)
        }
    }

    @Test func `replaces an object only when asked to`() async throws {
        try await FilesServer.with { files in
            let first = try await files.begin("own", Self.mine, length: 3, as: FilesServer.ada)
            let second = try await files.begin("own", Self.mine, length: 3, as: FilesServer.ada)
            #expect(try await first.patch("one", at: 0) == "204 3")
            #expect(try await second.patch("two", at: 0) == "409 ")
            #expect(files.files.count == 1)
            let third = try await files.begin("own", Self.mine, length: 5, isUpsert: true, as: FilesServer.ada)
            #expect(try await third.patch("three", at: 0) == "204 5")
            #expect(try await files.send(.get, "object/own/\(Self.mine)", as: FilesServer.ada).text == "three")
        }
    }

    @Test func `can be ended, until it is finished`() async throws {
        try await FilesServer.with { files in
            let upload = try await files.begin("pictures", "a", length: 5, content: "hel")
            #expect(files.files.count == 1)
            #expect(try await upload.end() == 204)
            #expect(files.files == [])
            #expect(try await upload.offset() == nil)
            #expect(try await upload.end() == 404)
            let finished = try await files.begin("pictures", "a", length: 5, content: "hello")
            #expect(try await finished.end() == 400)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == "hello")
        }
    }

    @Test func `a caller has so many open ones, whatever others have`() async throws {
        try await FilesServer.with {
            $0.mostOpenUploads = 2
        } _: { files in
            let first = try await files.begin("pictures", "a", length: 5, as: FilesServer.ada)
            #expect(try await files.begin("pictures", "b", length: 5, as: FilesServer.ada).made.status == .created)
            #expect(try await files.begin("pictures", "c", length: 5, as: FilesServer.ada).made.status == 429)
            #expect(try await files.begin("pictures", "c", length: 5, as: FilesServer.bob).made.status == .created)
            #expect(try await first.patch("hello", at: 0) == "204 5")
            #expect(try await files.begin("pictures", "c", length: 5, as: FilesServer.ada).made.status == .created)
        }
    }

    @Test func `what a caller has open has a limit in bytes, also of what begins at once`() async throws {
        try await FilesServer.with {
            $0.maximumOpenBytes = 10
        } _: { files in
            let statuses = try await withThrowingTaskGroup(of: Status.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await files.begin("pictures", "\(number)", length: 4, as: FilesServer.ada).made.status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .created } == 2)
            #expect(statuses.count { $0 == 429 } == 6)
            #expect(try await files.begin("pictures", "b", length: 10, as: FilesServer.bob).made.status == .created)
        }
    }

    @Test func `ends after a day, and the purge removes it`() async throws {
        try await FilesServer.with { files in
            let upload = try await files.begin("pictures", "a", length: 5, content: "hel")
            let kept = try await files.begin("pictures", "b", length: 5, content: "hel")
            _ = try await files.begin("pictures", "c", length: 5, content: "hello")
            #expect(
                try files.application.count(
                    "storage.swiftlet_uploads WHERE abs(extract(epoch FROM expires_at - now()) - 86400) < 60"
                ) == 3
            )
            try files.application.execute(
                "UPDATE storage.swiftlet_uploads SET expires_at = now() - interval '1 s' WHERE name <> 'b'"
            )
            #expect(try await upload.patch("lo", at: 3) == "410 ")
            #expect(try await files.purge() == 1)
            #expect(try await upload.patch("lo", at: 3) == "404 ")
            #expect(files.files.count == 2)
            #expect(try files.application.count("storage.swiftlet_uploads") == 1)
            #expect(try await kept.patch("lo", at: 3) == "204 5")
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/c").text == "hello")
        }
    }

    /// All bytes are there, but whoever received them was killed before the object was made: before or after its file
    /// had its place.
    @Test(arguments: [false, true], [true, false])
    func `finishes what a crash has left`(isMoved: Bool, asks: Bool) async throws {
        try await FilesServer.with { files in
            let upload = try await files.begin("pictures", "a", length: 5, content: "hell")
            let partial = try #require(files.files.first)
            let path = "\(files.folder)/\(partial)"
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("o".utf8))
            try handle.close()
            if isMoved {
                let version = try #require(partial.split(separator: "-").last)
                let folder = "\(files.folder)/objects/\(version.dropFirst(3).prefix(2))"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try FileManager.default.moveItem(atPath: path, toPath: "\(folder)/\(version)")
            }
            if asks {
                #expect(try await upload.offset() == 5)
            } else {
                #expect(try await upload.patch("", at: 5) == "204 5")
            }
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == "hello")
            #expect(files.files.count == 1)
        }
    }

    @Test func `the purge removes what has become a file without a row`() async throws {
        try await FilesServer.with { files in
            let upload = try await files.begin("pictures", "a", length: 5, content: "hell")
            try files.application.execute("UPDATE storage.swiftlet_uploads SET state = 'ended'")
            #expect(try await upload.patch("o", at: 4) == "404 ")
            #expect(try await files.purge() == 1)
            #expect(files.files == [])
            #expect(try files.application.count("storage.swiftlet_uploads") == 0)
        }
    }

    @Test func `of pieces that come at once, each byte is written once`() async throws {
        try await FilesServer.with { files in
            let upload = try await files.begin("pictures", "a", length: 5)
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await upload.patch("hello", at: 0) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.contains("204 5"))
            #expect(answers.allSatisfy { $0 == "204 5" || $0 == "409 " })
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a").text == "hello")
            #expect(files.files.count == 1)
        }
    }

    @Test func `a link stands in for a login`() async throws {
        try await FilesServer.with { files in
            let made = try await files.json(.post, "object/upload/sign/own/\(Self.mine)", as: FilesServer.ada)
            let token = try #require(made["token"]?.string)
            let upload = try await files.begin("own", Self.mine, length: 5, signature: token)
            #expect(upload.made.status == .created)
            #expect(upload.path.hasPrefix("upload/resumable/sign/"))
            let plain = upload.path.replacing("/sign/", with: "/")
            #expect(try await Upload(files: files, path: plain, made: upload.made).offset() == nil)
            #expect(try await upload.patch("hello", at: 0) == "204 5")
            let got = try await files.send(.get, "object/own/\(Self.mine)", as: FilesServer.ada)
            #expect(got.text == "hello")
            #expect(try files.application.count("storage.objects WHERE owner_id = '\(FilesServer.ada)'") == 1)
            let other = try await files.begin("own", "\(FilesServer.ada)/b", length: 5, signature: token)
            #expect(other.made.status == .badRequest)
            #expect(try await files.begin("own", Self.mine, length: 5, signature: "x").made.status == .badRequest)
        }
    }

    @Test func `nobody but the server reaches its notes`() async throws {
        try await FilesServer.with { files in
            for role in ["authenticated", "service_role"] {
                #expect(throws: (any Error).self) {
                    try files.application.execute("SET ROLE \(role); SELECT * FROM storage.swiftlet_uploads")
                }
            }
        }
    }
}
