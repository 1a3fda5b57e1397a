import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

@Suite(.needsDatabase, .hangLimit) struct UploadTests {
    @Test func `stores a raw body and gives it back`() async throws {
        try await FilesServer.with { files in
            let path = "own/\(FilesServer.ada)/a%20b//c%2Fd.txt"
            let made = try await files.json(
                .post,
                "object/\(path)",
                "hello",
                as: FilesServer.ada,
                [
                    "Content-Type": "text/plain;charset=UTF-8", "Cache-Control": "max-age=60",
                    "x-metadata": "eyJrIjoxfQ==",
                ]
            )
            #expect(made["Key"] == .string("own/\(FilesServer.ada)/a b//c/d.txt"))
            let id = try #require(made["Id"]?.string)
            #expect(UUID(uuidString: id) != nil)
            let got = try await files.send(.get, "object/authenticated/\(path)", as: FilesServer.ada)
            #expect(got.text == "hello")
            #expect(got.headers[.contentType] == "text/plain;charset=UTF-8")
            #expect(got.headers[.cacheControl] == "max-age=60")
            #expect(got.headers[.etag] == "\"5d41402abc4b2a76b9719d911017c592\"")
            #expect(got.headers["Accept-Ranges"] == "bytes")
            #expect(got.headers["X-Robots-Tag"] == "none")
            #expect(
                try files.application.count("storage.objects WHERE id = '\(id)' AND owner_id = '\(FilesServer.ada)'")
                    == 1
            )
            #expect(
                try files.application.count(
                    "storage.objects WHERE user_metadata = '{\"k\":1}' AND metadata ->> 'size' = '5' AND version LIKE 's1.%'"
                ) == 1
            )
            #expect(files.files.count == 1)
            #expect(files.files.allSatisfy { $0.hasPrefix("objects/") && !$0.contains("txt") })
        }
    }

    /// As the clients send it: an empty name of the field, or `file`; fields before the file or behind it.
    @Test(arguments: ["", "file"], [true, false])
    func `stores the file of a form`(field: String, fieldsFirst: Bool) async throws {
        let fields = Self.part("cacheControl", "3600") + Self.part("metadata", #"{"a":"b"}"#)
        let file = Self.part(field, "hello", file: "x.txt", type: "text/plain")
        let body = (fieldsFirst ? fields + file : file + fields) + "--B--\r\n"
        try await FilesServer.with { files in
            let headers: KeyValuePairs<Headers.Name, String> = ["Content-Type": "multipart/form-data; boundary=B"]
            _ = try await files.json(.post, "object/pictures/x.txt", body, as: FilesServer.ada, headers)
            let got = try await files.sendAnonymously(.get, "object/public/pictures/x.txt")
            #expect(got.text == "hello")
            #expect(got.headers[.contentType] == "text/plain")
            #expect(got.headers[.cacheControl] == "max-age=3600")
            #expect(try files.application.count("storage.objects WHERE user_metadata = '{\"a\":\"b\"}'") == 1)
        }
    }

    @Test func `a form without a file, or broken off, stores nothing`() async throws {
        try await FilesServer.with { files in
            for body in [Self.part("metadata", "{}") + "--B--\r\n", Self.part("", "hello", file: "x"), ""] {
                let response = try await files.send(
                    .post,
                    "object/pictures/x",
                    body,
                    ["Content-Type": "multipart/form-data; boundary=B"]
                )
                #expect(response.status == .badRequest)
                #expect(try FilesServer.fault(response).hasPrefix("400 "))
            }
            #expect(try files.application.count("storage.objects") == 0)
            #expect(files.files == [])
        }
    }

    @Test func `a second upload of a name needs an upsert`() async throws {
        try await FilesServer.with { files in
            let path = "object/own/\(FilesServer.ada)/a.txt"
            let first = try await files.json(.post, path, "one", as: FilesServer.ada)
            let second = try await files.send(.post, path, "two", as: FilesServer.ada)
            #expect(second.status == .badRequest)
            #expect(try FilesServer.fault(second) == "409 The resource already exists")
            #expect(files.files.count == 1)
            let third = try await files.json(.post, path, "three", as: FilesServer.ada, ["x-upsert": "true"])
            #expect(third["Id"] == first["Id"])
            #expect(try await files.send(.get, path, as: FilesServer.ada).text == "three")
            _ = try await files.json(.put, path, "four", as: FilesServer.ada)
            #expect(try await files.send(.get, path, as: FilesServer.ada).text == "four")
        }
    }

    @Test func `policies decide who stores where, and no file stays of what they refuse`() async throws {
        try await FilesServer.with { files in
            let refused = "403 new row violates row-level security policy"
            // A body that is asked about first, and one that is not.
            for body in ["small", String(repeating: "long", count: 30_000)] {
                let response = try await files.send(
                    .post,
                    "object/own/\(FilesServer.ada)/a",
                    body,
                    as: FilesServer.bob
                )
                #expect(response.status == .badRequest)
                #expect(try FilesServer.fault(response) == refused)
            }
            #expect(try FilesServer.fault(await files.sendAnonymously(.post, "object/own/a", "x")).hasPrefix("400 "))
            let anonymous = try FilesServer.token(role: "anon")
            let response = try await files.application.send(.post, "/storage/v1/object/own/a", token: anonymous, "x")
            #expect(try FilesServer.fault(response) == refused)
            // Who may only insert, inserts, but replaces nothing.
            _ = try await files.json(.post, "object/small/a", "x", as: FilesServer.ada, ["Content-Type": "text/plain"])
            let upsert = try await files.send(
                .post,
                "object/small/a",
                "y",
                as: FilesServer.ada,
                ["Content-Type": "text/plain", "x-upsert": "true"]
            )
            #expect(try FilesServer.fault(upsert).hasPrefix("403 "))
            #expect(try JSONParser.parse(upsert.body)["hint"]?.string?.contains("SELECT and UPDATE") == true)
            #expect(files.files.count == 1)
        }
    }

    @Test(
        arguments: [
            ("small/a", "text/plain", 11, "413 The object exceeded the maximum allowed size"),
            ("small/a", "text/html", 3, "415 mime type text/html is not supported"),
            ("small/a", "nonsense", 3, "415 Invalid Content-Type header"),
            ("small/a", "text/plain; charset=utf-8", 10, nil),
            ("small/a", "IMAGE/PNG", 3, nil), ("small/a/.emptyFolderPlaceholder", "application/octet-stream", 0, nil),
            ("small/.emptyFolderPlaceholder", "text/plain", 1, "413 The object exceeded the maximum allowed size"),
            ("nowhere/a", "text/plain", 3, "404 Bucket not found"),
            ("pictures/a", "image/png", 100_001, "413 The object exceeded the maximum allowed size"),
        ] as [(String, String, Int, String?)]
    )
    func `keeps the limits of bucket and server`(path: String, type: String, length: Int, fault: String?) async throws {
        try await FilesServer.with(maximumBytes: 100_000) { files in
            let body = String(repeating: "x", count: length)
            let response = try await files.send(.post, "object/\(path)", body, ["Content-Type": type])
            #expect(response.status == (fault == nil ? .ok : .badRequest))
            if let fault { #expect(try FilesServer.fault(response) == fault) }
            #expect(files.files.count == (fault == nil ? 1 : 0))
        }
    }

    @Test(
        arguments: [
            ("caf%C3%A9.png", "café.png"), ("cafe%CC%81.png", "café.png"), ("%E6%97%A5.png", "日.png"),
            ("a!-.*'()%20&$@=;:+,%3Fb", "a!-.*'() &$@=;:+,?b"), ("../a", nil), ("a/%2e%2e/b", nil), ("./a", nil),
            ("a%5Cb", "a\\b"), ("a%25b", "a%b"), ("a%0Ab", "a\nb"), ("a%7B%23%22b", "a{#\"b"), ("%F0%9F%99%82", "🙂"),
            ("a%2Fb", "a/b"), ("a//b", "a//b"), ("%C2%80%C2%AD%E2%80%A8", "\u{80}\u{AD}\u{2028}"), ("%FF", nil),
            ("a%E2%80%AEb", nil), ("a%01b", nil), ("a%EF%BF%BFb", nil),
            (String(repeating: "x", count: 1024), String(repeating: "x", count: 1024)),
            (String(repeating: "x", count: 1025), nil),
        ] as [(String, String?)]
    )
    func `takes names of any text that S3 takes`(path: String, name: String?) async throws {
        try await FilesServer.with { files in
            let response = try await files.send(.post, "object/pictures/\(path)", "x")
            if let name {
                let made = try JSONParser.parse(response.body)
                #expect(made["Key"] == .string("pictures/\(name)"))
                let got = try await files.sendAnonymously(.get, "object/public/pictures/\(path)")
                #expect(got.text == "x")
            } else {
                let fault = try FilesServer.fault(response)
                #expect(fault.hasPrefix("400 Invalid key: "))
            }
        }
    }

    @Test(arguments: ["caf%C3%A9", "a%25b", "a%5Cb"]) func `names beyond those of old clients can be refused`(
        path: String
    ) async throws {
        try await FilesServer.with {
            $0.allowsUnicodeNames = false
        } _: { files in
            let response = try await files.send(.post, "object/pictures/\(path)", "x")
            let fault = try FilesServer.fault(response)
            #expect(fault.hasPrefix("400 Invalid key: "))
        }
    }

    @Test(
        arguments: [
            ("all", nil), ("max-snippet: 10, notranslate", nil), ("googlebot: noindex, nofollow", nil),
            ("unavailable_after: 25 Jun 2027 15:00:00 PST", nil),
            ("unavailable_after: Fri, 25 Jun 2027 15:00:00 GMT, nofollow", nil),
            ("invalidrule", "400 Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: \"invalidrule\""),
            ("all, ", "400 Invalid X-Robots-Tag header: X-Robots-Tag header contains empty rule"),
            ("googlebot:", "400 Invalid X-Robots-Tag header: X-Robots-Tag rule \"googlebot\" requires a value"),
            (
                "max-snippet: -2",
                "400 Invalid X-Robots-Tag header: X-Robots-Tag \"max-snippet\" value must be an integer >= -1, got: \"-2\""
            ),
            (
                "max-image-preview: huge",
                "400 Invalid X-Robots-Tag header: X-Robots-Tag \"max-image-preview\" value must be one of: none, standard, large, got: \"huge\""
            ),
        ] as [(String, String?)]
    )
    func `takes rules for crawlers, and no others`(tag: String, fault: String?) async throws {
        try await FilesServer.with { files in
            let response = try await files.send(.post, "object/pictures/a", "x", ["X-Robots-Tag": tag])
            if let fault {
                #expect(try FilesServer.fault(response) == fault)
            } else {
                let got = try await files.send(.get, "object/pictures/a")
                #expect(got.headers["X-Robots-Tag"] == tag)
            }
        }
    }

    @Test(arguments: [.post, .put] as [SwiftletHTTP.Method]) func `a bucket alone is no name`(
        method: SwiftletHTTP.Method
    ) async throws {
        try await FilesServer.with { files in
            let response = try await files.send(method, "object/pictures/", "x")
            #expect(try FilesServer.fault(response) == "400 Invalid key: ")
        }
    }

    @Test func `of two uploads of one name at once, one is made`() async throws {
        try await FilesServer.with { files in
            let statuses = try await withThrowingTaskGroup { group in
                for number in 0..<4 {
                    group.addTask { try await files.send(.post, "object/pictures/a", "body \(number)").status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .ok } == 1)
            #expect(statuses.count { $0 == .badRequest } == 3)
            #expect(files.files.count == 1)
        }
    }

    static func part(_ name: String, _ text: String, file: String? = nil, type: String? = nil) -> String {
        let fileName = file.map { "; filename=\"\($0)\"" } ?? ""
        let head = "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(fileName)\r\n"
        return head + (type.map { "Content-Type: \($0)\r\n" } ?? "") + "\r\n\(text)\r\n"
    }
}
