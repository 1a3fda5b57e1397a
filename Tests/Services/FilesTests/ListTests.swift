import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletFiles

@Suite(.needsDatabase, .hangLimit) struct ListTests {
    /// Objects without files, as lists read rows only.
    private static let rows = """
        INSERT INTO storage.objects (bucket_id, name, metadata, created_at, updated_at)
        SELECT 'pictures', name, '{"size":1}', '2026-01-01Z'::timestamptz + n * interval '1 day',
            '2026-02-01Z'::timestamptz - n * interval '1 day'
        FROM unnest('{a.txt,B.txt,c/1.png,c/2.png,c/d/3.png,c-x,Cat/1,é/1,e.txt}'::text[]) WITH ORDINALITY AS o (name, n);

        """

    private func names(_ list: JSONValue) -> [String] {
        list.array?.map { ($0["name"]?.string ?? "") + ($0["id"]?.isNull == true ? "/" : "") } ?? []
    }

    @Test(
        arguments: [
            (#"{"prefix":""}"#, ["a.txt", "B.txt", "c/", "c-x", "Cat/", "e.txt", "é/"]),
            (#"{"prefix":"","limit":2,"offset":1}"#, ["B.txt", "c/"]),
            (#"{"prefix":"","sortBy":{"column":"name","order":"desc"},"limit":3}"#, ["é/", "e.txt", "Cat/"]),
            (#"{"prefix":"c"}"#, ["1.png", "2.png", "d/"]), (#"{"prefix":"c/"}"#, ["1.png", "2.png", "d/"]),
            (#"{"prefix":"c/d"}"#, ["3.png"]), (#"{"prefix":"é"}"#, ["1"]), (#"{"prefix":"nothing"}"#, []),
            (#"{"prefix":"","search":"C"}"#, ["c/", "c-x", "Cat/"]), (#"{"prefix":"","search":"txt"}"#, []),
            (#"{"prefix":"","search":"%"}"#, []),
            (
                #"{"prefix":"","sortBy":{"column":"created_at","order":"desc"}}"#,
                ["Cat/", "c/", "é/", "e.txt", "c-x", "B.txt", "a.txt"]
            ),
            (#"{"prefix":"c","sortBy":{"column":"updated_at","order":"asc"}}"#, ["d/", "2.png", "1.png"]),
        ] as [(String, [String])]
    )
    func `lists a folder`(body: String, expected: [String]) async throws {
        try await FilesServer.with(sql: Self.rows) { files in
            let list = try await files.json(.post, "object/list/pictures", body)
            #expect(names(list) == expected)
            let file = list.array?.first { $0["id"]?.isNull == false }
            if let file { #expect(file["metadata"]?["size"] == 1) }
        }
    }

    @Test func `shows only what the policies let through`() async throws {
        try await FilesServer.with(
            sql: Self.rows + "CREATE POLICY c ON storage.objects FOR SELECT TO authenticated USING (name LIKE 'c/%');"
        ) { files in
            let seen = try await files.json(.post, "object/list/pictures", #"{"prefix":""}"#, as: FilesServer.ada)
            #expect(names(seen) == ["c/"])
            let page = try await files.json(.post, "object/list-v2/pictures", "{}", as: FilesServer.ada)
            #expect(page["objects"]?.array?.count == 3)
            let other = try await files.send(.post, "object/list/pictures", "{}", as: FilesServer.ada)
            #expect(try FilesServer.fault(other) == "400 body must have required property 'prefix'")
        }
    }

    @Test(
        arguments: [
            (
                #""with_delimiter":true"#, ["B.txt", "Cat/", "a.txt", "c-x", "c/", "e.txt", "é/"]
            ),
            (
                #""with_delimiter":true,"sortBy":{"column":"name","order":"desc"}"#,
                ["é/", "e.txt", "c/", "c-x", "a.txt", "Cat/", "B.txt"]
            ),
            (#""with_delimiter":true,"prefix":"c/""#, ["c/1.png", "c/2.png", "c/d/"]),
            (#""with_delimiter":true,"prefix":"c""#, ["c-x", "c/"]),
            (#""prefix":"c/""#, ["c/1.png", "c/2.png", "c/d/3.png"]),
            (
                #""sortBy":{"column":"created_at","order":"desc"}"#,
                ["e.txt", "é/1", "Cat/1", "c-x", "c/d/3.png", "c/2.png", "c/1.png", "B.txt", "a.txt"]
            ),
            (#""prefix":"c","sortBy":{"column":"updated_at"}"#, ["c-x", "c/d/3.png", "c/2.png", "c/1.png"]),
            (
                #""with_delimiter":true,"sortBy":{"column":"created_at"}"#,
                ["a.txt", "B.txt", "c/", "c-x", "Cat/", "é/", "e.txt"]
            ),
            (
                #""with_delimiter":true,"sortBy":{"column":"updated_at","order":"desc"}"#,
                ["a.txt", "B.txt", "c-x", "e.txt", "é/", "Cat/", "c/"]
            ),
        ] as [(String, [String])]
    )
    func `lists page by page`(options: String, expected: [String]) async throws {
        try await FilesServer.with(sql: Self.rows) { files in
            for limit in [1, 2, 100] { try await list(files, options, expected, limit) }
        }
    }

    private func list(_ files: FilesServer, _ options: String, _ expected: [String], _ limit: Int) async throws {
        var found: [String] = []
        var cursor = ""
        for _ in 0..<20 {
            let body = #"{"limit":\#(limit),"cursor":"\#(cursor)",\#(options)}"#
            let page = try await files.json(.post, "object/list-v2/pictures", body)
            let folders = page["folders"]?.array?.compactMap { $0["name"]?.string } ?? []
            let objects = page["objects"]?.array?.compactMap { $0["name"]?.string } ?? []
            #expect(folders.count + objects.count <= limit)
            found += folders + objects
            guard page["hasNext"] == true else {
                #expect(page["nextCursor"] == nil)
                break
            }
            cursor = try #require(page["nextCursor"]?.string)
        }
        #expect(found.sorted() == expected.sorted())
        // On one page, folders and objects are apart.
        if limit == 1 { #expect(found == expected) }
    }

    /// In milliseconds two times may be one, and rows of old may have none.
    @Test(arguments: [false, true]) func `goes on behind equal and missing times`(hasFolders: Bool) async throws {
        let rows = """
            INSERT INTO storage.objects (bucket_id, name, created_at) VALUES
                ('pictures', 'b', '2026-01-01 00:00:00.0009Z'), ('pictures', 'c', '2026-01-01 00:00:00.0001Z'),
                ('pictures', 'd', '2026-01-01 00:00:01Z'), ('pictures', 'a', NULL), ('pictures', 'e', NULL);

            """
        try await FilesServer.with(sql: rows) { files in
            let options = #""with_delimiter":\#(hasFolders),"sortBy":{"column":"created_at","order":"asc"}"#
            try await list(files, options, ["a", "e", "b", "c", "d"], 1)
            let descending = options.replacing("asc", with: "desc")
            try await list(files, descending, ["d", "c", "b", "e", "a"], 1)
        }
    }

    /// Names of few signs, so that folders and files, large and small letters stand between each other.
    @Test(arguments: [1, 2, 3]) func `what comes first is what is first of all`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let signs = Array("aAbB/-~ é")
        let names = (0..<250).map { _ in
            String(
                (0..<Int.random(in: 1...6, using: &generator)).compactMap { _ in signs.randomElement(using: &generator)
                }
            )
        }
        let list = Set(names).sorted().map { "('pictures', '\($0)')" }.joined(separator: ", ")
        try await FilesServer.with(sql: "INSERT INTO storage.objects (bucket_id, name) VALUES \(list);") { files in
            let connection = try BlockingConnection.connect(to: files.application.databaseURL)
            for folder in ["", "a/", "/", "a//"] {
                let different = try connection.query(
                    """
                    WITH every AS (
                        SELECT array_agg(path ORDER BY lower(rtrim(path, '/') COLLATE "C") COLLATE "C", path COLLATE "C")
                            AS paths
                        FROM storage.swiftlet_children('pictures', $1)
                    )
                    SELECT most FROM every, generate_series(1, cardinality(paths) + 1) AS most
                    WHERE paths[:most] IS DISTINCT FROM
                        ARRAY(SELECT path FROM storage.swiftlet_first_children('pictures', $1, most))
                    """,
                    [folder]
                )
                #expect(different == [], "of \(folder)")
            }
        }
    }

    @Test func `refuses a cursor that is none`() async throws {
        try await FilesServer.with { files in
            let response = try await files.send(.post, "object/list-v2/pictures", #"{"cursor":"bad"}"#)
            #expect(try FilesServer.fault(response) == "400 Invalid cursor")
        }
    }

    /// A thousand folders of a hundred objects each are a thousand steps, not a hundred thousand rows.
    @Test func `steps over what is in a folder`() async throws {
        let many = """
            INSERT INTO storage.objects (bucket_id, name)
            SELECT 'pictures', lpad(folder::text, 3, '0') || '/' || file FROM generate_series(0, 99) AS folder,
                generate_series(1, 300) AS file;
            ANALYZE storage.objects;

            """
        try await FilesServer.with(sql: many) { files in
            let list = try await files.json(.post, "object/list/pictures", #"{"prefix":"","limit":3,"offset":97}"#)
            #expect(names(list) == ["097/", "098/", "099/"])
            let inside = try await files.json(.post, "object/list/pictures", #"{"prefix":"042","limit":1000}"#)
            #expect(inside.array?.count == 300)
        }
    }
}
