import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletRest

/// Forms of requests that few clients send, and that PostgREST takes.
@Suite(.needsDatabase, .hangLimit) struct RequestFormTests {
    private static let sql = """
        CREATE SCHEMA "two words";
        CREATE TABLE "two words".things (id int PRIMARY KEY);
        INSERT INTO "two words".things VALUES (7);
        CREATE DOMAIN lucky AS int DEFAULT 13;
        CREATE TABLE draws (id serial PRIMARY KEY, ball lucky, word text DEFAULT 'w', twice int GENERATED ALWAYS AS (0 + 2) STORED);
        CREATE TABLE pairs (a int, b text, note text, PRIMARY KEY (a, b));
        CREATE VIEW pair_view AS SELECT a AS x, b AS y, note FROM pairs;
        CREATE TABLE lists ("order" int PRIMARY KEY, "select" text, "limit" int);
        INSERT INTO lists VALUES (5, 'five', 1), (6, 'six', 2);
        CREATE TABLE partners (id int PRIMARY KEY, sponsor int UNIQUE);
        CREATE TABLE sponsors (id int PRIMARY KEY);
        CREATE VIEW bargains AS SELECT p.id, s.id AS sponsor_id FROM partners p LEFT JOIN sponsors s ON s.id = p.sponsor;
        CREATE FUNCTION make_bargain() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TRIGGER bargain INSTEAD OF INSERT ON bargains FOR EACH ROW EXECUTE FUNCTION make_bargain();
        CREATE FUNCTION joined(VARIADIC words text[] DEFAULT '{}') RETURNS text LANGUAGE sql IMMUTABLE
            AS $$ SELECT array_to_string(words, '-') $$;
        CREATE DOMAIN "text/plain" AS text;
        CREATE DOMAIN "application/octet-stream" AS bytea;
        CREATE FUNCTION taken() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
        CREATE FUNCTION taken(json) RETURNS json LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION taken(text) RETURNS "text/plain" LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION taken(bytea) RETURNS "application/octet-stream" LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION taken(x int, y int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT x + y';
        CREATE FUNCTION loud(p projects) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT upper(p.name)';
        CREATE FUNCTION loud(c clients) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT upper(c.name)';
        CREATE TYPE spot AS (x int, y int);
        CREATE FUNCTION placed() RETURNS TABLE (n int, spot spot) LANGUAGE sql STABLE
            AS 'SELECT 1, row(1, 1)::spot UNION ALL SELECT 2, row(3, 2)::spot';
        CREATE FUNCTION host() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_setting('app.settings.app_host', true) $$;
        CREATE TABLE singles (n int UNIQUE DEFERRABLE INITIALLY DEFERRED);
        GRANT USAGE ON SCHEMA "two words" TO service_role;
        GRANT ALL ON ALL TABLES IN SCHEMA "two words", public TO service_role;
        GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO service_role;
        """

    private static let representation: KeyValuePairs<Headers.Name, String> = ["Prefer": "return=representation"]

    @Test func `a percent sign may stand alone in a value`() async throws {
        try await RestServer.with { (rest) async throws in
            #expect(try await rest.get("clients?name=like.Bak%&select=id") == [["id": 2]])
            #expect(try await rest.get("clients?name=eq.100%&select=id") == [])
            #expect(try await rest.get("clients?name=like.%42ak%&select=id") == [["id": 2]])
        }
    }

    @Test(arguments: [
        (#""order"=eq.5"#, #"[{"order":5,"select":"five","limit":1}]"#),
        (#"%22select%22=eq.six&select=order"#, #"[{"order":6}]"#),
        (#""limit"=gt.1&select="limit""#, #"[{"limit":2}]"#),
        (#"order=order.desc&limit=1&select=order"#, #"[{"order":6}]"#),
    ])
    func `a quoted column may be named as a parameter`(query: String, body: String) async throws {
        try await RestServer.with(sql: Self.sql) { (rest) async throws in
            let encoded = query.replacing("\"", with: "%22")
            #expect(try await rest.get("lists?\(encoded)") == JSONParser.parse(Array(body.utf8)))
        }
    }

    @Test func `schemas may have blanks in their names`() async throws {
        try await RestServer.with({ $0.schemas = ["public", "two words"] }, sql: Self.sql) { (rest) async throws in
            let things = try await rest.send(.get, "things", "", ["Accept-Profile": "two words"])
            #expect(things.text == #"[{"id":7}]"#)
            #expect(things.headers["Content-Profile"] == "two words")
        }
    }

    @Test func `Location names the key of views, also where it is null`() async throws {
        try await RestServer.with(sql: Self.sql) { (rest) async throws in
            func location(_ path: String, _ body: String) async throws -> String? {
                try await rest.send(.post, path, body, ["Prefer": "return=headers-only"]).headers["Location"]
            }
            #expect(try await location("pairs", #"{"a":1,"b":"x & y"}"#) == "/pairs?a=eq.1&b=eq.x%20%26%20y")
            #expect(try await location("pair_view", #"{"x":2,"y":"z"}"#) == "/pair_view?x=eq.2&y=eq.z")
            #expect(try await location("bargains", #"{"id":1}"#) == "/bargains?id=eq.1&sponsor_id=is.null")
        }
    }

    @Test func `HEAD calls a function and says what GET would`() async throws {
        try await RestServer.with { (rest) async throws in
            let head = try await rest.send(.head, "rpc/projects_of?client=1&limit=1", "", ["Prefer": "count=exact"])
            #expect(head.status == 206)
            #expect(head.headers["Content-Range"] == "0-0/2")
            #expect(head.headers[.contentType] == "application/json; charset=utf-8")
            #expect(head.headers["Preference-Applied"] == "count=exact")
            #expect(head.body.isEmpty)
            let read = try await rest.send(.get, "clients", "", ["Prefer": "timezone=Europe/Berlin, count=exact"])
            #expect(read.headers["Preference-Applied"] == "count=exact, timezone=Europe/Berlin")
        }
    }

    @Test(arguments: [("", #""""#), ("words=a", #""a""#), ("words=a&words=b", #""a-b""#)])
    func `a variadic argument is repeated, in the query or a form`(form: String, value: String) async throws {
        try await RestServer.with(sql: Self.sql) { (rest) async throws in
            #expect(try await rest.send(.get, "rpc/joined?\(form)").text == value)
            let type: KeyValuePairs<Headers.Name, String> = [.contentType: "application/x-www-form-urlencoded"]
            #expect(try await rest.send(.post, "rpc/joined", form, type).text == value)
        }
    }

    @Test(arguments: [
        ("application/json", "{}", "1"), ("application/json", #"{"x":1,"y":2}"#, "3"),
        ("application/json", #"{"a":1}"#, #"{"a":1}"#), ("text/plain", "plain", "plain"),
        ("application/octet-stream", "\u{1}\u{2}", "\u{1}\u{2}"),
    ])
    func `of overloads the type of the content chooses`(type: String, content: String, answer: String) async throws {
        try await RestServer.with(sql: Self.sql) { (rest) async throws in
            let accept = type == "application/json" ? "application/json" : type
            let response = try await rest.send(
                .post,
                "rpc/taken",
                content,
                [.contentType: type, "Accept": accept]
            )
            #expect(response.text == answer)
            let csv = try await rest.send(.post, "rpc/taken", "a,b\n1,2", [.contentType: "text/csv"])
            #expect(csv.status == .notFound)
            #expect(csv.text.contains("with parameters a, b, but no"))
            let unknown = try await rest.send(.post, "rpc/add", "x", [.contentType: "text/plain"])
            #expect(unknown.text.contains(#""hint":null"#))
        }
    }

    @Test func `missing values take the default of a domain, and none of a generated column`() async throws {
        try await RestServer.with(sql: Self.sql) { (rest) async throws in
            let prefer: KeyValuePairs<Headers.Name, String> = ["Prefer": "missing=default, return=representation"]
            let drawn = try await rest.send(
                .post,
                "draws?columns=id,ball,word&select=ball,word",
                #"[{"word":"a"},{"ball":1}]"#,
                prefer
            )
            #expect(drawn.text == #"[{"ball":13,"word":"a"}, \#n {"ball":1,"word":"w"}]"#)
            #expect(drawn.headers["Preference-Applied"] == "missing=default, return=representation")
            let refused = try await rest.send(.post, "draws?columns=word,twice", #"[{"word":"a"},{"twice":5}]"#, prefer)
            #expect(refused.status == .badRequest)
            #expect(refused.text.contains("428C9"))
        }
    }

    @Test func `an upsert of nothing makes nothing`() async throws {
        try await RestServer.with { (rest) async throws in
            let prefer: KeyValuePairs<Headers.Name, String> = [
                "Prefer": "resolution=merge-duplicates, return=representation"
            ]
            let empty = try await rest.send(.post, "labels", "[]", prefer)
            #expect(empty.status == .ok)
            #expect(empty.text == "[]")
        }
    }

    @Test func `PUT makes or replaces the one row that its query names`() async throws {
        try await RestServer.with(sql: Self.sql) { (rest) async throws in
            let made = try await rest.send(
                .put,
                "pairs?a=eq.1&b=eq.x",
                #"{"a":1,"b":"x","note":"n"}"#,
                Self.representation
            )
            #expect(made.status == .created)
            #expect(made.text == #"[{"a":1,"b":"x","note":"n"}]"#)
            #expect(try await rest.send(.put, "pairs?a=eq.1&b=eq.x", #"{"a":1,"b":"x"}"#).status == .noContent)
            #expect(try await rest.get("pairs") == [["a": 1, "b": "x", "note": "n"]])
            // Of several the first one counts.
            let first = try await rest.send(
                .put,
                "pairs?a=eq.1&b=eq.x",
                #"[{"a":1,"b":"x","note":"first"},{"a":2,"b":"y","note":"second"}]"#,
                Self.representation
            )
            #expect(first.status == .ok)
            #expect(first.text == #"[{"a":1,"b":"x","note":"first"}]"#)
            #expect(try await rest.get("pairs").array?.count == 1)
            for (query, body, code) in [
                ("a=eq.1", #"{"a":1,"b":"x"}"#, "PGRST105"), ("", #"{"a":1,"b":"x"}"#, "PGRST105"),
                ("a=eq.1&b=neq.x", #"{"a":1,"b":"x"}"#, "PGRST105"),
                ("a=eq.1&b=eq.x&note=eq.n", #"{"a":1,"b":"x"}"#, "PGRST105"),
                ("and=(a.eq.1,b.eq.x)", #"{"a":1,"b":"x"}"#, "PGRST105"),
                ("a=eq.1&b=eq.x", #"{"a":1,"b":"y"}"#, "PGRST115"),
                ("a=eq.1&b=eq.x", "[]", "PGRST115"), ("a=eq.1&b=eq.x&limit=1", #"{"a":1,"b":"x"}"#, "PGRST114"),
            ] {
                #expect(try await rest.send(.put, "pairs?\(query)", body).text.contains(code), "\(query) \(body)")
            }
            #expect(try await rest.get("pairs") == [["a": 1, "b": "x", "note": "first"]])
        }
    }

    @Test(arguments: [
        ("pairs", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"), ("pair_view", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"),
        ("singles", "OPTIONS,GET,HEAD,POST,PATCH,DELETE"), ("bargains", "OPTIONS,GET,HEAD,POST"),
        ("rpc/forget", "OPTIONS,POST"), ("rpc/add", "OPTIONS,GET,HEAD,POST"), ("", "OPTIONS,GET,HEAD"),
    ])
    func `OPTIONS says what is allowed`(path: String, allowed: String) async throws {
        try await RestServer.with(sql: Self.sql) { (rest) async throws in
            let response = try await rest.send(.options, path)
            #expect(response.status == .ok)
            #expect(response.headers["Allow"] == allowed)
            #expect(try await rest.send(.options, "nothing").status == .notFound)
        }
    }

    @Test func `a computed column of rows of a function is that of their type`() async throws {
        try await RestServer.with(sql: Self.sql) { (rest) async throws in
            #expect(
                try await rest.get("rpc/projects_of?client=2&select=loud,name&loud=eq.OVEN&order=loud")
                    == [["loud": "OVEN", "name": "Oven"]]
            )
            #expect(try await rest.send(.get, "rpc/projects_of?client=2&select=louder").text.contains("42703"))
        }
    }

    @Test func `the parts of a function's own columns can be chosen`() async throws {
        try await RestServer.with(sql: Self.sql) { (rest) async throws in
            #expect(
                try await rest.get("rpc/placed?select=n,spot->x&spot->y=gt.1&order=spot->>x.desc") == [
                    ["n": 2, "x": 3]
                ]
            )
        }
    }

    @Test func `settings of the server reach functions`() async throws {
        try await RestServer.with({ $0.transactionSettings = [("app.settings.app_host", "a.example")] }, sql: Self.sql)
        { (rest) async throws in
            #expect(try await rest.get("rpc/host") == "a.example")
        }
    }

    @Test(arguments: [
        ("meta->>--1", 9, "expecting digit"), ("meta->(a", 7, "expecting \"-\", digit or any non reserved character"),
    ])
    func `says where a JSON path cannot be read`(path: String, column: Int, details: String) async throws {
        try await RestServer.with { (rest) async throws in
            let response = try await rest.send(.get, "clients?select=\(path)")
            #expect(response.text.contains("(line 1, column \(column))"))
            #expect(try JSONParser.parse(response.body)["details"]?.string?.contains(details) == true)
        }
    }

    @Test func `one parenthesis too many does no harm`() async throws {
        try await RestServer.with { (rest) async throws in
            #expect(try await rest.get("clients?and=(id.eq.1,id.neq.2))&select=id") == [["id": 1]])
            #expect(try await rest.send(.get, "clients?and=(id.eq.1)),id.eq.2").status == .badRequest)
        }
    }

    @Test func `long lists of ids reach PostgreSQL`() async throws {
        try await RestServer.with { (rest) async throws in
            let ids = (1...200).map { "00000000-0000-4000-8000-\(String(100_000_000_000 + $0))" }.joined(separator: ",")
            let response = try await rest.send(.get, "notes?id=in.(\(ids))", "", as: RestServer.ada)
            #expect(response.text == "[]")
            // It would not pass where header fields are limited to 8 KB.
            #expect(response.headers["Content-Location"] == nil)
        }
    }

    @Test func `a transaction that is rolled back still fails for what would have failed at its end`() async throws {
        try await RestServer.with({ $0.ending = .init(isUndone: true, isOverridable: true) }, sql: Self.sql) {
            (rest) async throws in
            #expect(try await rest.send(.post, "singles", #"[{"n":1},{"n":1}]"#).status == .conflict)
            #expect(try await rest.send(.post, "singles", #"[{"n":1}]"#).status == .created)
            #expect(try await rest.get("singles") == [])
            let kept = try await rest.send(.post, "singles", #"[{"n":2}]"#, ["Prefer": "tx=commit"])
            #expect(kept.headers["Preference-Applied"] == "tx=commit")
            #expect(try await rest.get("singles") == [["n": 2]])
        }
    }

    @Test func `answers tell how long their steps took, where that is wanted`() async throws {
        try await RestServer.with({ $0.showsTimings = true }) { (rest) async throws in
            func steps(_ response: Response) -> [String] {
                (response.headers["Server-Timing"] ?? "").split(separator: ", ").map { $0.split(separator: ";")[0] }
                    .map(String.init)
            }
            let all = ["jwt", "parse", "plan", "transaction", "response"]
            for path in ["clients", "clients?id=eq.1", "rpc/add?a=1", ""] {
                #expect(steps(try await rest.send(.get, path)) == all, "\(path)")
            }
            #expect(steps(try await rest.send(.patch, "clients?id=eq.1", #"{"name":"a"}"#)) == all)
            #expect(steps(try await rest.send(.options, "clients")) == ["jwt", "parse", "response"])
            #expect(steps(try await rest.send(.get, "clients?id=bad")) == ["jwt", "parse"])
            #expect(steps(try await rest.send(.get, "clients?id=eq.bad")) == ["jwt", "parse", "plan", "transaction"])
            #expect(steps(try await rest.application.send(.get, "/rest/v1/clients", token: "x")) == ["jwt"])
        }
        try await RestServer.with { (rest) async throws in
            #expect(try await rest.send(.get, "clients").headers["Server-Timing"] == nil)
        }
    }

    @Test(arguments: [
        ("a.b", "PGRST301", "Expected 3 parts in JWT; got 2"),
        ("", "PGRST301", "Empty JWT is sent in Authorization header"),
        ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.AAAA", "PGRST301", "No suitable key or wrong key type"),
    ])
    func `a refused token is told in PostgREST's words`(token: String, code: String, message: String) async throws {
        try await RestServer.with { (rest) async throws in
            let response = try await rest.application.send(
                .get,
                "/rest/v1/clients",
                headers: [("Authorization", "Bearer \(token)")]
            )
            #expect(response.status == .unauthorized)
            #expect(try JSONParser.parse(response.body)["code"]?.string == code)
            #expect(try JSONParser.parse(response.body)["message"]?.string == message)
            #expect(response.headers[.wwwAuthenticate]?.contains(message) == true)
        }
    }
}
