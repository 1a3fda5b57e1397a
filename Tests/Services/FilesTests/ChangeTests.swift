import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

@Suite(.needsDatabase, .hangLimit) struct ChangeTests {
    private let own = "own/\(FilesServer.ada)"

    @Test func `tells what it knows of an object`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(
                .post,
                "object/\(own)/a",
                "hello",
                as: FilesServer.ada,
                ["Content-Type": "text/plain", "x-metadata": "eyJrIjoxfQ=="]
            )
            for route in ["info", "info/authenticated"] {
                let info = try await files.json(.get, "object/\(route)/\(own)/a", as: FilesServer.ada)
                #expect(info["name"] == .string("\(FilesServer.ada)/a"))
                #expect(info["bucket_id"] == "own")
                #expect(info["size"] == 5)
                #expect(info["content_type"] == "text/plain")
                #expect(info["cache_control"] == "no-cache")
                #expect(info["metadata"] == ["k": 1])
                #expect(info["version"]?.string?.hasPrefix("s1.") == true)
                #expect(info["last_modified"] != nil)
                let other = try await files.send(.get, "object/\(route)/\(own)/a", as: FilesServer.bob)
                #expect(try FilesServer.fault(other) == "404 Object not found")
            }
            let hidden = try await files.sendAnonymously(.get, "object/info/public/\(own)/a")
            #expect(try FilesServer.fault(hidden) == "404 Bucket not found")
        }
    }

    @Test func `moves an object without touching its file`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(.post, "object/\(own)/a", "one", as: FilesServer.ada)
            _ = try await files.json(.post, "object/\(own)/b", "two", as: FilesServer.ada)
            let before = files.files.sorted()
            func move(
                _ from: String,
                _ to: String,
                _ more: String = "",
                as user: String? = FilesServer.ada
            ) async throws
                -> Response
            {
                let body = #"{"bucketId":"own","sourceKey":"\#(from)","destinationKey":"\#(to)"\#(more)}"#
                return try await files.send(.post, "object/move", body, as: user)
            }
            let (a, b, c) = ("\(FilesServer.ada)/a", "\(FilesServer.ada)/b", "\(FilesServer.ada)/c")
            // As the Swift client sends it.
            let moved = try await move(a, c, #","destinationBucket":null"#)
            #expect(moved.status == .ok)
            #expect(moved.text.contains("Successfully moved"))
            #expect(try await files.send(.get, "object/own/\(c)", as: FilesServer.ada).text == "one")
            #expect(files.files.sorted() == before)
            #expect(try FilesServer.fault(await move(c, b)) == "409 The resource already exists")
            #expect(try FilesServer.fault(await move(a, c)) == "404 Object not found")
            #expect(try FilesServer.fault(await move(c, "\(FilesServer.bob)/c")).hasPrefix("403 new row"))
            #expect(try FilesServer.fault(await move(c, "x", as: FilesServer.bob)) == "404 Object not found")
            #expect(
                try FilesServer.fault(await move(c, "x", #","destinationBucket":"none""#, as: nil))
                    == "404 Bucket not found"
            )
            #expect(try await move(c, "p", #","destinationBucket":"pictures""#, as: nil).status == .ok)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/p").text == "one")
        }
    }

    @Test func `copies an object with its file`() async throws {
        try await FilesServer.with { files in
            _ = try await files.json(
                .post,
                "object/\(own)/a",
                "one",
                as: FilesServer.ada,
                ["Content-Type": "text/plain", "x-metadata": "eyJrIjoxfQ=="]
            )
            let (a, b) = ("\(FilesServer.ada)/a", "\(FilesServer.ada)/b")
            func copy(_ to: String, _ more: String = "", as user: String? = FilesServer.ada) async throws -> Response {
                let body = #"{"bucketId":"own","sourceKey":"\#(a)","destinationKey":"\#(to)"\#(more)}"#
                return try await files.send(.post, "object/copy", body, as: user)
            }
            let made = try JSONParser.parse(try await copy(b).body)
            #expect(made["Key"] == .string("own/\(b)"))
            #expect(made["Id"] == made["id"])
            #expect(made["user_metadata"] == ["k": 1])
            #expect(files.files.count == 2)
            // Neither depends on the other.
            _ = try await files.json(.put, "object/own/\(a)", "two", as: FilesServer.ada)
            let got = try await files.send(.get, "object/own/\(b)", as: FilesServer.ada)
            #expect(got.text == "one")
            #expect(got.headers[.contentType] == "text/plain")
            #expect(try FilesServer.fault(await copy(b)) == "409 The resource already exists")
            #expect(try FilesServer.fault(await copy("\(FilesServer.bob)/a")).hasPrefix("403 new row"))
            #expect(try FilesServer.fault(await copy("x", as: FilesServer.bob)) == "404 Object not found")
            // The one who may only insert there.
            let blind = try await copy("c", #","destinationBucket":"small""#)
            #expect(try FilesServer.fault(blind).hasPrefix("415"))
            let picture = #","destinationBucket":"pictures","copyMetadata":false,"metadata":{"mimetype":"image/png"}"#
            #expect(try await copy("c", picture).status == .ok)
            let shown = try await files.sendAnonymously(.get, "object/public/pictures/c")
            #expect(shown.headers[.contentType] == "image/png")
            #expect(try files.application.count("storage.objects WHERE name = 'c' AND user_metadata IS NULL") == 1)
        }
    }

    @Test func `deletes one and many as the policies let it`() async throws {
        try await FilesServer.with { files in
            for name in ["a", "b", "c"] {
                _ = try await files.json(.post, "object/\(own)/\(name)", name, as: FilesServer.ada)
            }
            let foreign = try await files.send(.delete, "object/\(own)/a", "{}", as: FilesServer.bob)
            #expect(try FilesServer.fault(foreign) == "403 Access denied")
            let gone = try await files.json(.delete, "object/\(own)/a", "{}", as: FilesServer.ada)
            #expect(gone == ["message": "Successfully deleted"])
            let again = try await files.send(.delete, "object/\(own)/a", as: FilesServer.ada)
            #expect(try FilesServer.fault(again) == "404 Object not found")
            #expect(try FilesServer.fault(await files.send(.delete, "object/none/a")) == "404 Bucket not found")

            let names = #"{"prefixes":["\#(FilesServer.ada)/b","\#(FilesServer.ada)/x","..","%"]}"#
            #expect(try await files.json(.delete, "object/own", names, as: FilesServer.bob) == [])
            let deleted = try await files.json(.delete, "object/own", names, as: FilesServer.ada)
            #expect(deleted.array?.map { $0["name"] } == [.string("\(FilesServer.ada)/b")])
            #expect(try await files.json(.delete, "object/none", names, as: FilesServer.ada) == [])
            for body in ["{}", #"{"prefixes":[]}"#] {
                #expect(try FilesServer.fault(await files.send(.delete, "object/own", body)).hasPrefix("400 "))
            }
            #expect(try files.application.count("storage.objects") == 1)
        }
    }

    @Test(
        arguments: [(20_000, nil), (20_001, "400 body/prefixes must NOT have more than 20000 items")]
            as [(Int, String?)]
    )
    func `deletes so many at once, and no more`(count: Int, fault: String?) async throws {
        try await FilesServer.with { files in
            let names = (0..<count).map { "\"n\($0)\"" }.joined(separator: ",")
            let response = try await files.send(.delete, "object/pictures", #"{"prefixes":[\#(names)]}"#)
            if let fault {
                #expect(try FilesServer.fault(response) == fault)
            } else {
                #expect(response.text == "[]")
            }
        }
    }
}
