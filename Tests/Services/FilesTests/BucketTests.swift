import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

@Suite(.needsDatabase, .hangLimit) struct BucketTests {
    @Test func `makes, shows, changes and deletes a bucket`() async throws {
        try await FilesServer.with { files in
            let made = try await files.json(
                .post,
                "bucket",
                #"{"id":"docs","name":"docs","public":false,"file_size_limit":"1MB","allowed_mime_types":["image/*"]}"#
            )
            #expect(made == ["name": "docs"])
            let row = try #require(try await files.json(.get, "bucket/docs").object)
            #expect(
                row.keys == [
                    "id", "name", "owner", "public", "type", "file_size_limit", "allowed_mime_types", "created_at",
                    "updated_at",
                ]
            )
            #expect(row["owner"] == "")
            #expect(row["type"] == "STANDARD")
            #expect(row["file_size_limit"] == 1_000_000)
            #expect(row["allowed_mime_types"] == ["image/*"])
            let created = try #require(row["created_at"]?.string)
            #expect(created.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil, "\(created)")

            let changed = try await files.json(.put, "bucket/docs", #"{"public":true,"file_size_limit":null}"#)
            #expect(changed == ["message": "Successfully updated"])
            let after = try await files.json(.get, "bucket/docs")
            #expect(after["public"] == true)
            #expect(after["file_size_limit"] == .null)
            #expect(after["allowed_mime_types"] == ["image/*"])

            _ = try await files.json(.post, "object/docs/a.png", "x", ["Content-Type": "image/png"])
            #expect(
                try FilesServer.fault(await files.send(.delete, "bucket/docs", "{}")).hasPrefix("409 The bucket you")
            )
            #expect(try await files.json(.post, "bucket/docs/empty", "{}")["message"] != nil)
            #expect(try await files.json(.delete, "bucket/docs", "{}") == ["message": "Successfully deleted"])
            #expect(try FilesServer.fault(await files.send(.get, "bucket/docs")) == "404 Bucket not found")
        }
    }

    @Test func `lists buckets as it is asked`() async throws {
        try await FilesServer.with { files in
            func names(_ query: String) async throws -> [String?] {
                let rows = try await files.json(.get, "bucket\(query)").array ?? []
                return rows.map { $0["name"]?.string }
            }
            for (query, expected) in [
                ("", ["own", "pictures", "small"]), ("?limit=1&offset=1", ["pictures"]),
                ("?sortColumn=name&sortOrder=desc&limit=2", ["small", "pictures"]), ("?search=ICT", ["pictures"]),
                ("?search=%25", []),
            ] {
                let found = try await names(query)
                #expect(found == expected, "\(query)")
            }
            #expect(try FilesServer.fault(await files.send(.get, "bucket?limit=0")).hasPrefix("400 "))
            #expect(try FilesServer.fault(await files.send(.get, "bucket?sortColumn=owner")).hasPrefix("400 "))
        }
    }

    @Test(
        arguments: [
            (#"{"name":"a/b"}"#, "400 Bucket name invalid"), (#"{"name":" a"}"#, "400 Bucket name invalid"),
            ("{}", "400 Bucket name invalid"), (#"{"name":"own"}"#, "409 The resource already exists"),
            (#"{"name":"x","file_size_limit":"2GB"}"#, "413 The object exceeded the maximum allowed size"),
            (#"{"name":"x","allowed_mime_types":["nothing"]}"#, "415 mime type nothing is not supported"),
            (#"{"name":"x","public":7}"#, "400 body/public must be boolean"), ("[]", "400 body must be object"),
            ("{", "400 the body is not valid JSON"),
        ]
    )
    func `refuses what is no bucket`(body: String, fault: String) async throws {
        try await FilesServer.with { files in
            let response = try await files.send(.post, "bucket", body)
            #expect(response.status == .badRequest)
            #expect(try FilesServer.fault(response) == fault)
        }
    }

    @Test func `policies decide who sees and changes buckets`() async throws {
        let sql = "CREATE POLICY seen ON storage.buckets FOR SELECT TO authenticated USING (id = 'pictures');"
        try await FilesServer.with(sql: sql) { files in
            let seen = try await files.json(.get, "bucket", as: FilesServer.ada)
            #expect(seen.array?.count == 1)
            #expect(try FilesServer.fault(await files.send(.get, "bucket/own", as: FilesServer.ada)).hasPrefix("404"))
            for (method, path, body) in [
                (.post, "bucket", #"{"name":"mine"}"#), (.put, "bucket/pictures", #"{"public":false}"#),
                (.delete, "bucket/small", ""),
            ] as [(SwiftletHTTP.Method, String, String)] {
                let response = try await files.send(method, path, body, as: FilesServer.ada)
                let fault = method == .post ? "403 new row violates row-level security policy" : "404 Bucket not found"
                #expect(try FilesServer.fault(response) == fault)
            }
            #expect(try await files.send(.post, "bucket/own/empty", as: FilesServer.ada).status == .forbidden)
            #expect(
                try FilesServer.fault(await files.sendAnonymously(.get, "bucket"))
                    == "400 headers must have required property 'authorization'"
            )
        }
    }

    @Test func `an unknown route is a 404 that clients can read`() async throws {
        try await FilesServer.with { files in
            let response = try await files.send(.get, "nothing/here")
            #expect(response.status == .notFound)
            #expect(try FilesServer.fault(response) == "404 Route GET:/nothing/here not found")
        }
    }

    @Test(
        arguments: [
            ("a/b/c.tar.gz", "{a,b}", "c.tar.gz", "gz"), ("c.png", "{}", "c.png", "png"), ("a/", "{a}", "", ""),
            ("", "{}", "", ""),
        ]
    )
    func `tells policies the parts of a name`(name: String, folders: String, file: String, ending: String) throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        let parts = try connection.query(
            "SELECT storage.foldername($1)::text, storage.filename($1), storage.extension($1)",
            [name]
        )
        #expect(parts == [[folders, file, ending]])
    }
}
