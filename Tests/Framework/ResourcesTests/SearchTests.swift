import Swiftlet
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletWeb

/// Searches over several resources, by the index that the database keeps.
@Suite(.needsDatabase, .hangLimit)
struct SearchTests {
    private static let notes = Resource("notes", scope: .tenant) {
        Searchable("title", "body")
        OwnRowsOnly(below: 3, on: "author")
    }
    private static let places = Resource("places", scope: .tenant) { Searchable("name") }

    private static let functions = [
        Function("search") { SearchRoute(over: notes, places) }, Function("notes") { notes.routes() },
        Function("places") { places.routes() },
    ]

    private static let tables = """
        CREATE TABLE notes (id varchar PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id varchar NOT NULL, title text,
            body text, author varchar, deleted_at timestamptz);
        CREATE TABLE places (id serial PRIMARY KEY, tenant_id varchar NOT NULL, name text);
        SELECT swiftlet.enable_search('notes', ARRAY['title', 'body'], owner => 'author');
        SELECT swiftlet.enable_search('places', ARRAY['name']);
        """

    private struct Caller {
        let server: TestApplication
        var level = 5
        var user = "ann"
        var tenant = "a"

        func search(_ query: String) async throws -> JSONObject {
            let token = try TestApplication.token(tenant: tenant, user: user, level: level)
            let response = try await server.send(.get, "/search?\(query)", token: token)
            #expect(response.status == .ok, "\(response.text)")
            return try response.jsonObject()
        }

        func titles(_ text: String, _ more: String = "") async throws -> [String] {
            let found = try await search("q=\(PercentCoding.encode(text))\(more)")
            return found["data"]?.array?.compactMap { $0["title"]?.string } ?? []
        }
    }

    private func with(
        _ rows: String,
        _ tables: String = Self.tables,
        _ body: (Caller) async throws -> Void
    ) async throws {
        try await TestApplication.with(Self.functions, sql: "\(tables);\(rows)") { server in
            try await body(Caller(server: server))
        }
    }

    /// As the job does.
    private func fill(_ server: TestApplication, _ rows: Int) throws {
        let connection = try BlockingConnection.connect(to: server.databaseURL)
        while try connection.query("SELECT swiftlet.fill_search(\(rows))").first?[0] == "t" {}
    }

    @Test func `the best are first, in all resources of the tenant`() async throws {
        let rows = """
            INSERT INTO notes (tenant_id, title, body) VALUES ('a', 'Old jam', NULL), ('a', 'jam tomorrow', 'x'),
                ('a', 'z', 'rainjam'), ('a', 'y', 'JAM'), ('b', 'jam', 'of others'), ('a', '100%', 'a_b\\c');
            INSERT INTO places (tenant_id, name) VALUES ('a', 'Jam'), ('a', 'Jam Street'), ('b', 'Jam')
            """
        try await with(rows) { caller async throws in
            #expect(try await caller.titles("jam") == ["Jam", "y", "Jam Street", "jam tomorrow", "Old jam", "z"])
            #expect(try await caller.titles("jam", "&limit=2") == ["Jam", "y"])
            #expect(try await caller.titles("  STREET jam ") == ["Jam Street"])
            #expect(try await caller.titles("jam nowhere at all") == [])
            for (text, found) in [("0%", 1), ("%%", 0), ("__", 0), ("a_b", 1), ("b\\c", 1), ("' OR 1=1 --", 0)] {
                #expect(try await caller.titles(text).count == found, "\(text)")
            }
            let token = try TestApplication.token(tenant: "a", user: "ann")
            for query in ["", "?q=", "?q=a", "?q=%20a%20", "?q=a%1F"] {
                #expect(try await caller.server.send(.get, "/search\(query)", token: token).status == .badRequest)
            }
            #expect(try await caller.server.send(.get, "/search?q=jam").status == .unauthorized)
        }
    }

    @Test func `accents, vowel signs and case make no difference`() async throws {
        let rows = """
            INSERT INTO places (tenant_id, name) VALUES ('a', 'Café Zürich'), ('a', 'مَدِينَة كبيرة'), ('a', 'שָׁלוֹם עולם'), ('a', '東京駅')
            """
        try await with(rows) { caller async throws in
            for (text, title) in [
                ("CAFE zurich", "Café Zürich"), ("cafe\u{301}", "Café Zürich"), ("مدينة", "مَدِينَة كبيرة"),
                ("שלום", "שָׁלוֹם עולם"),
                ("東京", "東京駅"),
            ] {
                let found = try await caller.titles(text)
                #expect(found == [title], "\(text)")
            }
        }
    }

    @Test func `a typing error finds what is similar, with the extension and not without`() async throws {
        let rows = "INSERT INTO places (tenant_id, name) VALUES ('a', 'Wellington Square'), ('b', 'Wellingtom')"
        let extensions = "CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE EXTENSION IF NOT EXISTS btree_gin"
        try await with(rows, "\(extensions);\(Self.tables)") { caller async throws in
            #expect(try caller.server.count("pg_class WHERE relname = 'search_entries_text'") == 1)
            let found = try await caller.search("q=Welington")
            #expect(found["similar"] == true)
            #expect(found["data"]?.array?.compactMap { $0["title"]?.string } == ["Wellington Square"])
            try caller.server.execute("DROP EXTENSION pg_trgm CASCADE")
            #expect(try await caller.titles("Welington") == [])
            #expect(try await caller.titles("wellington") == ["Wellington Square"])
        }
    }

    @Test func `those who see their own rows only find only these`() async throws {
        let rows = """
            INSERT INTO notes (tenant_id, title, author) VALUES ('a', 'jam of ann', 'ann'), ('a', 'jam of bob', 'bob'),
                ('a', 'jam of none', NULL);
            INSERT INTO places (tenant_id, name) VALUES ('a', 'jam of all')
            """
        try await with(rows) { caller async throws in
            #expect(try await caller.titles("jam").count == 4)
            var junior = caller
            junior.level = 1
            #expect(try await junior.titles("jam") == ["jam of all", "jam of ann"])
            var stranger = caller
            stranger.tenant = "b"
            #expect(try await stranger.titles("jam") == [])
            try caller.server.execute("UPDATE notes SET author = 'ann' WHERE author = 'bob'")
            #expect(try await junior.titles("jam") == ["jam of all", "jam of ann", "jam of bob"])
        }
    }

    @Test func `changes of rows are in the index with them, whoever makes them`() async throws {
        try await with("") { caller async throws in
            let token = try TestApplication.token(tenant: "a", user: "ann", level: 5)
            let made = try await caller.server.send(.post, "/notes", token: token, #"{"title":"first"}"#)
            let id = try #require(try made.jsonObject()["id"]?.string)
            #expect(try await caller.titles("first") == ["first"])
            _ = try await caller.server.send(.patch, "/notes/\(id)", token: token, #"{"title":"second"}"#)
            #expect(try await caller.titles("first") == [])
            #expect(try await caller.titles("second") == ["second"])
            try caller.server.execute("BEGIN; UPDATE notes SET title = 'third'; ROLLBACK")
            #expect(try await caller.titles("third") == [])
            try caller.server.execute("UPDATE notes SET deleted_at = now()")
            #expect(try await caller.titles("second") == [])
            try caller.server.execute("UPDATE notes SET deleted_at = NULL, tenant_id = 'b'")
            #expect(try await caller.titles("second") == [])
            try caller.server.execute("UPDATE notes SET tenant_id = 'a'; DELETE FROM notes")
            #expect(try await caller.titles("second") == [])
            try caller.server.execute("INSERT INTO notes (tenant_id, title) VALUES ('a', 'fourth'); TRUNCATE notes")
            #expect(try caller.server.count("swiftlet.search_entries") == 0)
            // A column that is gone keeps nobody from writing.
            try caller.server.execute(
                "ALTER TABLE notes DROP COLUMN title; INSERT INTO notes (tenant_id, body) VALUES ('a', 'fifth')"
            )
            #expect(try await caller.search("q=fifth")["data"]?.array?.count == 1)
        }
    }

    @Test func `rows from before are filled in, while they change`() async throws {
        let parts = Self.tables.split(separator: ";")
        let (tables, enabling) = (parts.prefix(2).joined(separator: ";"), parts[2...].joined(separator: ";"))
        let rows = """
            INSERT INTO notes (id, tenant_id, title) SELECT 'n' || n, 'a', 'word' || n FROM generate_series(1, 100) n;
            \(enabling)
            """
        try await with(rows, tables) { caller async throws in
            #expect(try await caller.search("q=word")["incomplete"] == ["notes", "places"])
            let connection = try BlockingConnection.connect(to: caller.server.databaseURL)
            _ = try connection.query("SELECT swiftlet.fill_search(30)")
            try connection.execute(
                "UPDATE notes SET title = 'other' WHERE id IN ('n1', 'n99'); DELETE FROM notes WHERE id IN ('n2', 'n98')"
            )
            try fill(caller.server, 30)
            #expect(try await caller.search("q=word")["incomplete"] == [])
            #expect(try caller.server.count("swiftlet.search_entries WHERE text LIKE '%word%'") == 96)
            #expect(try caller.server.count("swiftlet.search_entries") == 98)
            // With other columns it begins anew.
            try connection.execute("SELECT swiftlet.enable_search('notes', ARRAY['body'])")
            try fill(caller.server, 1000)
            #expect(try caller.server.count("swiftlet.search_entries WHERE text LIKE '%word%'") == 0)
        }
    }

    @Test func `a table that cannot be filled in holds up no other, nor does an id that is too long`() async throws {
        let tables = """
            CREATE TABLE notes (id json, tenant_id varchar, title text, deleted_at timestamptz);
            CREATE TABLE places (id text, tenant_id varchar, name text);
            INSERT INTO notes VALUES ('1', 'a', 'x');
            INSERT INTO places VALUES (repeat('x', 100000), 'a', 'long'), ('1', 'a', 'short');
            SELECT swiftlet.enable_search('notes', ARRAY['title']);
            SELECT swiftlet.enable_search('places', ARRAY['name'])
            """
        try await with("INSERT INTO places VALUES (repeat('y', 100000), 'a', 'longer')", tables) {
            caller async throws in
            try fill(caller.server, 100)
            #expect(try await caller.titles("short") == ["short"])
            #expect(try await caller.titles("long") == [])
            #expect(try await caller.search("q=short")["incomplete"] == ["notes"])
            #expect(try caller.server.count("swiftlet.searched_kinds WHERE fault IS NOT NULL") == 1)
        }
    }

    @Test func `what a search could not hide is refused when the server starts`() throws {
        for (resource, reason) in [
            (Resource("a", scope: .tenant) { Search("x") }, "which is not Searchable"),
            (
                Resource("a", scope: .tenant) {
                    Searchable("x", "y")
                    Hidden("y")
                }, "columns that are Hidden"
            ),
            (Resource("a", scope: .user) { Searchable("x") }, "which hides rows"),
            (Resource("a", scope: .owner("x")) { Searchable("x") }, "which hides rows"),
            (
                Resource("a", scope: .tenant) {
                    Searchable("x")
                    Only("x", "y")
                }, "which hides rows"
            ),
        ] {
            let fault = SearchRoute(over: resource).route.table?.fault
            guard case .vocabulary(let text) = fault else {
                Issue.record("no fault")
                continue
            }
            #expect(text.contains(reason))
        }
    }
}
