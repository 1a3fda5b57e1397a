import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

@Suite(.needsDatabase, .hangLimit) struct DownloadTests {
    @Test func `policies decide who reads, except of public buckets`() async throws {
        try await FilesServer.with { files in
            let own = "own/\(FilesServer.ada)/a.txt"
            _ = try await files.json(.post, "object/\(own)", "mine", as: FilesServer.ada)
            _ = try await files.json(.post, "object/pictures/p", "seen", as: FilesServer.ada)
            for route in ["object", "object/authenticated"] {
                #expect(try await files.send(.get, "\(route)/\(own)", as: FilesServer.ada).text == "mine")
                #expect(try await files.send(.get, "\(route)/\(own)").text == "mine")
                let other = try await files.send(.get, "\(route)/\(own)", as: FilesServer.bob)
                #expect(other.status == .badRequest)
                #expect(try FilesServer.fault(other) == "404 Object not found")
                #expect(try await files.send(.get, "\(route)/pictures/p", as: FilesServer.bob).text == "seen")
            }
            #expect(try await files.sendAnonymously(.get, "object/pictures/p").text == "seen")
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/p").text == "seen")
            for path in ["object/\(own)", "object/public/\(own)", "object/public/none/a"] {
                #expect(try FilesServer.fault(await files.sendAnonymously(.get, path)) == "404 Bucket not found")
            }
            #expect(
                try FilesServer.fault(await files.sendAnonymously(.get, "object/public/pictures/q"))
                    == "404 Object not found"
            )
            #expect(
                try FilesServer.fault(await files.sendAnonymously(.get, "object/authenticated/pictures/p"))
                    == "400 headers must have required property 'authorization'"
            )
        }
    }

    @Test func `a token that is not accepted counts where one is needed`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/pictures/p", "seen")
            func get(_ path: String) async throws -> Response {
                try await files.application.send(.get, "/storage/v1/\(path)", token: "a.b.c")
            }
            #expect(try await get("object/pictures/p").text == "seen")
            #expect(try await FilesServer.fault(get("object/authenticated/pictures/p")) == "403 Invalid Compact JWS")
        }
    }

    @Test func `answers HEAD, ranges and conditions`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/pictures/p", "0123456789", ["Content-Type": "video/mp4"])
            let path = "object/public/pictures/p"
            let whole = try await files.sendAnonymously(.get, path)
            let tag = try #require(whole.headers[.etag])
            let modified = try #require(whole.headers["Last-Modified"])
            let head = try await files.sendAnonymously(.head, path)
            #expect(head.status == .ok)
            #expect(head.headers[.etag] == tag)
            let missing = try await files.sendAnonymously(.head, "object/public/pictures/q")
            #expect(missing.status == .notFound)
            #expect(missing.body.isEmpty)

            func get(_ headers: KeyValuePairs<Headers.Name, String>) async throws -> Response {
                try await files.sendAnonymously(.get, path, "", headers)
            }
            let part = try await get(["Range": "bytes=2-4"])
            #expect(part.status == 206)
            #expect(part.text == "234")
            #expect(part.headers[.contentRange] == "bytes 2-4/10")
            #expect(try await get(["Range": "bytes=-3"]).text == "789")
            #expect(try await get(["Range": "bytes=10-"]).status == 416)
            #expect(try await get(["Range": "bytes=2-4", "If-Range": tag]).status == 206)
            #expect(try await get(["Range": "bytes=2-4", "If-Range": "\"other\""]).text == "0123456789")
            for condition in [tag, "\"x\", W/\(tag)", "*"] {
                let same = try await get(["If-None-Match": condition])
                #expect(same.status == .notModified)
                #expect(same.headers[.etag] == tag)
            }
            #expect(try await get(["If-None-Match": "\"x\"", "If-Modified-Since": modified]).status == .ok)
            #expect(try await get(["If-Modified-Since": modified]).status == .notModified)
            #expect(try await get(["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]).status == .ok)
        }
    }

    @Test func `is saved under the name that is asked for`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/pictures/p", "x")
            func disposition(_ query: String) async throws -> String? {
                try await files.sendAnonymously(.get, "object/public/pictures/p\(query)").headers[.contentDisposition]
            }
            #expect(try await disposition("") == nil)
            #expect(try await disposition("?cacheNonce=1&t=2") == nil)
            #expect(try await disposition("?download") == "attachment;")
            #expect(try await disposition("?download=") == "attachment;")
            #expect(
                try await disposition("?download=a%20b%22%C3%A9.png")
                    == "attachment; filename=a%20b%22%C3%A9.png; filename*=UTF-8''a%20b%22%C3%A9.png"
            )
        }
    }

    /// What others upload must not run as ours.
    @Test(
        arguments: [
            ("text/html; charset=utf-8", "text/plain", false), ("application/xhtml+xml", "text/plain", true),
            ("image/svg+xml", "image/svg+xml", true), ("image/png", "image/png", false),
            ("text/javascript", "text/javascript", true),
            ("multipart/x-mixed-replace", "multipart/x-mixed-replace", true),
        ]
    )
    func `shows no page of somebody's`(type: String, shown: String, isSandboxed: Bool) async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/pictures/p", "<script>", ["Content-Type": type])
            let got = try await files.sendAnonymously(.get, "object/public/pictures/p")
            #expect(got.headers[.contentType] == shown)
            #expect(got.headers["X-Content-Type-Options"] == "nosniff")
            #expect((got.headers["Content-Security-Policy"] != nil) == isSandboxed)
        }
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("", nil),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Nov 1994 8:49 GMT", nil),
        ] as [(String, Int?)]
    )
    func `reads times of HTTP`(text: String, seconds: Int?) {
        #expect(HTTPTime.read(text) == seconds)
    }
}
