import SwiftletConsole
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@Suite(.needsDatabase, .hangLimit) struct RowsTests {
    private static let shelf = """
        CREATE TABLE shelf (
            id integer PRIMARY KEY, title text NOT NULL, note text DEFAULT 'none', api_secret text,
            made date NOT NULL DEFAULT '2026-01-01', rank integer
        );
        CREATE TABLE pages (id integer PRIMARY KEY, shelf_id integer REFERENCES shelf, body text);
        CREATE TABLE keyless (a integer, b text);
        CREATE VIEW seen AS SELECT id FROM shelf;
        """

    private static func rows(_ count: Int) -> String {
        shelf
            + "INSERT INTO shelf SELECT n, 'title ' || n, NULL, 's3cret', '2026-01-01', nullif(n % 7, 0) FROM generate_series(1, \(count)) n;"
    }

    private static func ids(_ answer: JSONValue) -> [Int] {
        (answer["rows"]?.array ?? []).compactMap { $0["cells"]?[0]?.string.flatMap { Int($0) } }
    }

    @Test func `pages follow each other by keys, in both directions and from the end`() async throws {
        try await ConsoleServer.with(sql: Self.rows(250)) { server in
            let session = try await server.enter()
            let path = "tables/public/shelf/rows"
            for order in [#"[]"#, #"[{"column":"rank","desc":true}]"#, #"[{"column":"rank"}]"#] {
                var found: [Int] = []
                var after = "null"
                while found.count < 250 {
                    let page = try await session.ask(
                        .post,
                        path,
                        #"{"order":\#(order),"after":\#(after),"limit":100}"#
                    )
                    let list = Array((page["rows"]?.array ?? []).prefix(100))
                    #expect(page["count"]?.int == 250 && page["exact"]?.bool == true)
                    found += Self.ids(page).prefix(100)
                    guard let last = list.last?["order"], list.count == 100 else { break }
                    after = last.description
                }
                #expect(Set(found).count == 250, "\(order)")
                #expect(found.count == 250)
                let end = try await session.ask(.post, path, #"{"order":\#(order),"reverse":true,"limit":10}"#)
                #expect(Array(Self.ids(end).prefix(10)) == found.suffix(10).reversed())
                let before = end["rows"]?[9]?["order"]?.description ?? ""
                let earlier = try await session.ask(
                    .post,
                    path,
                    #"{"order":\#(order),"reverse":true,"after":\#(before),"limit":10}"#
                )
                #expect(Array(Self.ids(earlier).prefix(10)) == found.dropLast(10).suffix(10).reversed())
            }
        }
    }

    @Test(arguments: ["100 %", "a,b", "say \"no\"", "back\\slash", "🐦", "שלום", "it's", "_", "' OR '1'='1"])
    func `a filter finds exactly the text, whatever it holds`(text: String) async throws {
        try await ConsoleServer.with(sql: Self.rows(3)) { server in
            let session = try await server.enter(.editor)
            _ = try await session.post(
                "tables/public/shelf/change",
                ["kind": "insert", "values": ["id": "50", "title": .string(text)]]
            )
            for operation in ["eq", "contains", "starts"] {
                let found = try await session.post(
                    "tables/public/shelf/rows",
                    ["filters": [["column": "title", "op": .string(operation), "value": .string(text)]]]
                )
                #expect(Self.ids(found) == [50], "\(operation)")
            }
        }
    }

    @Test func `null, empty and default are three things`() async throws {
        try await ConsoleServer.with(sql: Self.shelf) { server in
            let session = try await server.enter(.editor)
            let path = "tables/public/shelf/change"
            for (id, note) in [("1", JSONValue.null), ("2", ""), ("3", ["default": true])] {
                _ = try await session.post(
                    path,
                    ["kind": "insert", "values": ["id": .string(id), "title": "x", "note": note]]
                )
            }
            #expect(try server.application.count("shelf WHERE id = 1 AND note IS NULL") == 1)
            #expect(try server.application.count("shelf WHERE id = 2 AND note = ''") == 1)
            #expect(try server.application.count("shelf WHERE id = 3 AND note = 'none'") == 1)
        }
    }

    @Test func `a change shows its statement, is audited once, and yields to one made meanwhile`() async throws {
        try await ConsoleServer.with(sql: Self.rows(2)) { server in
            let session = try await server.enter(.editor)
            let path = "tables/public/shelf"
            let row = try await session.post("\(path)/row", ["key": ["1"]])
            let version = try #require(row["version"])
            let change: JSONValue = [
                "kind": "update", "key": ["1"], "version": version, "values": ["title": "mine"],
            ]
            var preview = change.object ?? [:]
            preview["preview"] = true
            let shown = try await session.post("\(path)/change", .object(preview))
            #expect(shown["statement"]?.string?.hasPrefix(#"UPDATE "public"."shelf" SET "title" = $1"#) == true)
            #expect(try server.application.count("shelf WHERE title = 'mine'") == 0)
            #expect(try server.application.count("swiftlet.console_audit") == 0)

            let done = try await session.post("\(path)/change", change)
            #expect(done["audit"]?.int != nil)
            #expect(try server.application.count("shelf WHERE title = 'mine'") == 1)
            #expect(
                try server.application.count(
                    "swiftlet.console_audit WHERE action = 'update' AND before->>'title' = 'title 1' AND after->>'title' = 'mine' AND request_id IS NOT NULL AND operator = 'link'"
                ) == 1
            )
            // The version is that of before.
            let late = try await session.post("\(path)/change", change, status: 409)
            #expect(late["error"]?["code"]?.string == "CHANGED")
            #expect(late["error"]?["details"]?["current"]?["title"]?.string == "mine")
            #expect(try server.application.count("swiftlet.console_audit") == 1)
            #expect(throws: (any Error).self) { try server.application.execute("DELETE FROM swiftlet.console_audit") }
        }
    }

    @Test func `what the database refuses names the column`() async throws {
        try await ConsoleServer.with(sql: Self.rows(1) + "INSERT INTO pages VALUES (1, 1, 'x');") { server in
            let session = try await server.enter(.editor)
            let missing = try await session.post(
                "tables/public/shelf/change",
                ["kind": "insert", "values": ["id": "9"]],
                status: .badRequest
            )
            #expect(missing["error"]?["details"]?["column"]?.string == "title")
            let referred = try await session.post(
                "tables/public/shelf/change",
                ["kind": "delete", "key": ["1"], "values": [:]],
                status: .badRequest
            )
            #expect(referred["error"]?["message"]?.string?.contains("pages") == true)
            let referrers = try await session.post("tables/public/shelf/referrers", ["key": ["1"]])
            #expect(referrers[0]?["table"]?.string == "pages")
            #expect(referrers[0]?["count"]?.int == 1)
        }
    }

    @Test func `a table without a key, a view and the platform's tables are read-only and say why`() async throws {
        try await ConsoleServer.with(sql: Self.shelf) { server in
            let session = try await server.enter()
            for (table, word) in [
                ("public/keyless", "primary key"), ("public/seen", "view"), ("swiftlet/console_audit", "platform"),
                ("auth/users", "platform"),
            ] {
                let answer = try await session.ask(.get, "tables/\(table)")
                #expect(answer["readOnly"]?.string?.contains(word) == true, "\(table)")
                _ = try await session.post(
                    "tables/\(table)/change",
                    ["kind": "insert", "values": [:]],
                    status: .forbidden
                )
            }
            let missing = try await session.response(.get, "tables/public/nothing")
            #expect(missing.status == .notFound)
        }
    }

    @Test func `viewers see no secret, in no form, and change nothing`() async throws {
        try await ConsoleServer.with(sql: Self.rows(2)) { server in
            let session = try await server.enter(.viewer)
            let path = "tables/public/shelf"
            let rows = try await session.response(.post, "\(path)/rows", "{}")
            #expect(rows.status == .ok)
            #expect(!rows.text.contains("s3cret"))
            let row = try await session.response(.post, "\(path)/row", #"{"key":["1"]}"#)
            #expect(row.status == .ok)
            #expect(!row.text.contains("s3cret"))
            let file = try await session.response(.post, "\(path)/export", "{}")
            #expect(file.text.contains("title 2"))
            #expect(!file.text.contains("s3cret"))
            for body: JSONValue in [
                ["filters": [["column": "api_secret", "op": "eq", "value": "s3cret"]]],
                ["order": [["column": "api_secret"]]],
            ] {
                _ = try await session.post("\(path)/rows", body, status: .badRequest)
            }
            _ = try await session.post(
                "\(path)/change",
                ["kind": "delete", "key": ["1"], "values": [:]],
                status: .forbidden
            )
            _ = try await session.post("\(path)/import", ["csv": "id,title\n7,x"], status: .forbidden)
            _ = try await session.post("access", ["table": "shelf"], status: .forbidden)
            #expect(try server.application.count("shelf") == 2)
        }
    }

    @Test func `a CSV comes back as it went, and a wrong line refuses all of it`() async throws {
        try await ConsoleServer.with(
            sql: Self.shelf
                + #"INSERT INTO shelf (id, title, note) VALUES (1, 'a,"b"', ''), (2, E'two\nlines', NULL), (3, '=1+1', 'x');"#
        ) { server in
            let session = try await server.enter(.editor)
            let path = "tables/public/shelf"
            let file = try await session.response(.post, "\(path)/export", "{}").text
            #expect(file.hasPrefix("id,title,note,api_secret,made,rank\n1,\"a,\"\"b\"\"\",\"\",,2026-01-01,\n"))
            #expect(file.contains("3,=1+1,x,,"))
            try server.application.execute("CREATE TABLE before AS SELECT * FROM shelf; DELETE FROM shelf")
            let done = try await session.post("\(path)/import", ["csv": .string(file)])
            #expect(done["count"]?.int == 3)
            #expect(try server.application.count("(SELECT * FROM before EXCEPT SELECT * FROM shelf) d") == 0)

            let wrong = "id,title,rank\n10,a,1\n11,b,1\n12,c,many\n"
            let refused = try await session.post("\(path)/import", ["csv": .string(wrong)], status: .badRequest)
            #expect(refused["error"]?["message"]?.string?.hasPrefix("Line 4, column rank:") == true)
            #expect(try server.application.count("shelf") == 3)
        }
    }

    @Test func `a new column is there at once`() async throws {
        try await ConsoleServer.with(sql: Self.rows(1)) { server in
            let session = try await server.enter()
            _ = try await session.post("tables/public/shelf/rows", [:])
            try server.application.execute("ALTER TABLE shelf ADD COLUMN colour text DEFAULT 'red'")
            let rows = try await session.post("tables/public/shelf/rows", [:])
            #expect(rows["rows"]?[0]?["cells"]?.array?.last?.string == "red")
        }
    }
}
