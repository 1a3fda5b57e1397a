import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletRest

/// Media types of one's own, and how an answer's type is chosen, as in PostgREST's `CustomMediaSpec`.
@Suite(.needsDatabase, .hangLimit) struct MediaTypeTests {
    private static let sql = #"""
        CREATE DOMAIN "text/html" AS text;
        CREATE DOMAIN "image/png" AS bytea;
        CREATE DOMAIN "text/tab-separated-values" AS text;
        CREATE DOMAIN "pg/outfunc" AS text;
        CREATE DOMAIN "application/vnd.label" AS bytea;
        CREATE DOMAIN "text/plain" AS text;
        CREATE DOMAIN "*/*" AS bytea;
        CREATE FUNCTION page() RETURNS "text/html" LANGUAGE sql IMMUTABLE AS $$ SELECT '<p>hi</p>'::"text/html" $$;
        CREATE FUNCTION words() RETURNS "text/plain" LANGUAGE sql IMMUTABLE AS $$ SELECT 'Welcome'::"text/plain" $$;
        CREATE FUNCTION picture() RETURNS "image/png" LANGUAGE sql IMMUTABLE AS $$ SELECT '\x89504e470000ff'::bytea::"image/png" $$;
        CREATE FUNCTION no_picture() RETURNS "image/png" LANGUAGE sql IMMUTABLE AS $$ SELECT NULL::"image/png" $$;
        CREATE FUNCTION anything() RETURNS "*/*" LANGUAGE plpgsql AS $$ BEGIN
            PERFORM set_config('response.headers', '[{"Content-Type": "app/groucho"}]', true);
            RETURN 'groucho'::bytea; END $$;
        CREATE FUNCTION plain_words() RETURNS SETOF "text/plain" LANGUAGE sql IMMUTABLE AS $$ SELECT 'a'::"text/plain" $$;
        CREATE FUNCTION out_step(state "pg/outfunc", next anyelement) RETURNS "pg/outfunc" LANGUAGE sql IMMUTABLE
            AS $$ SELECT (state || next::text || E'\n')::"pg/outfunc" $$;
        CREATE AGGREGATE out_agg(anyelement) (INITCOND = '', STYPE = "pg/outfunc", SFUNC = out_step);
        CREATE FUNCTION label_step(state "application/vnd.label", next labels) RETURNS "application/vnd.label" LANGUAGE sql
            IMMUTABLE AS $$ SELECT (state || convert_to(next.word, 'UTF8') || '\x00'::bytea)::"application/vnd.label" $$;
        CREATE AGGREGATE label_agg(labels) (INITCOND = '', STYPE = "application/vnd.label", SFUNC = label_step);
        CREATE FUNCTION some_labels() RETURNS SETOF labels LANGUAGE sql STABLE AS 'SELECT * FROM labels ORDER BY id';
        """#

    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0, 0, 0xFF]

    @Test func `answers with media types that functions and aggregates are made for`() async throws {
        try await RestServer.with(sql: Self.sql) { rest in
            func get(_ path: String, _ accept: String) async throws -> Response {
                try await rest.send(.get, path, "", ["Accept": accept])
            }
            let page = try await get("rpc/page", "text/html")
            #expect(page.text == "<p>hi</p>")
            #expect(page.headers[.contentType] == "text/html")
            #expect(try await get("rpc/page", "application/json").text == #""<p>hi</p>""#)
            #expect(try await get("rpc/words", "text/plain").headers[.contentType] == "text/plain; charset=utf-8")
            for accept in ["image/png", "image/png, */*", "text/html,application/xml;q=0.9,image/png,*/*;q=0.8"] {
                let picture = try await get("rpc/picture", accept)
                #expect(picture.body == Self.png)
                #expect(picture.headers[.contentType] == "image/png")
            }
            #expect(try await get("rpc/no_picture", "image/png").body.isEmpty)
            let any = try await get("rpc/anything", "app/chico")
            #expect(any.text == "groucho")
            #expect(any.headers[.contentType] == "app/groucho")
            #expect(try await get("rpc/plain_words", "text/plain").status == .notAcceptable)
            let rows = try await get("projects?id=lt.3&select=name,id&order=id", "pg/outfunc")
            #expect(rows.text == "(Site,1)\n(Shop,2)\n")
            #expect(rows.headers[.contentType] == "pg/outfunc")
            for path in ["labels?order=id", "rpc/some_labels"] {
                let labels = try await get(path, "application/vnd.label")
                #expect(labels.body == Array("urgent\0quiet\0".utf8), "\(labels.text)")
            }
            #expect(try await get("labels?select=word", "application/vnd.label").status == .notAcceptable)
            let made = try await rest.send(
                .post,
                "labels",
                #"{"id":9,"word":"new"}"#,
                ["Accept": "pg/outfunc", "Prefer": "return=representation"]
            )
            #expect(made.text == "(9,new)\n")
        }
    }

    @Test func `prints values as PostgreSQL sends them`() async throws {
        let sql =
            Self.sql + #"""
                CREATE DOMAIN "text/xml" AS xml;
                CREATE FUNCTION document() RETURNS "text/xml" LANGUAGE sql IMMUTABLE AS $$ SELECT E'\n<a/>'::"text/xml" $$;
                """#
        try await RestServer.with(sql: sql) { rest in
            #expect(try await rest.send(.get, "rpc/document", "", ["Accept": "text/xml"]).text == "<a/>")
            for path in ["projects?select=id,clients(id)&id=eq.1", "projects?select=id,...clients(of:id)&id=eq.1"] {
                let rows = try await rest.send(.get, path, "", ["Accept": "pg/outfunc"])
                #expect(rows.text == (path.contains("...") ? "(1,1)\n" : "(1,\"{\"\"id\"\": 1}\")\n"))
            }
            let table = try await rest.send(.get, "projects?select=id,clients(id)&id=eq.1", "", ["Accept": "text/csv"])
            #expect(table.text == "id,clients\n1,\"{\"\"id\"\": 1}\"")
        }
    }

    @Test func `serves a relation without columns`() async throws {
        let sql = "CREATE TABLE bare (); INSERT INTO bare DEFAULT VALUES; GRANT SELECT ON bare TO service_role;"
        try await RestServer.with(sql: sql) { rest in
            let rows = try await rest.get("bare")
            #expect(rows == [[:]])
            let refused = try await rest.send(.get, "bare", as: RestServer.ada)
            #expect(refused.status == .forbidden)
        }
    }

    @Test func `takes the first type that can be had`() async throws {
        try await RestServer.with(sql: Self.sql) { rest in
            func get(_ path: String, _ accept: String) async throws -> Response {
                try await rest.send(.get, path, "", ["Accept": accept])
            }
            for accept in ["text/plain, */*", "text/plain, application/json", "application/json;q=0.5, image/gif"] {
                let response = try await get("labels", accept)
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == "application/json; charset=utf-8")
            }
            let none = try await get("labels", "text/plain")
            #expect(none.status == .notAcceptable)
            #expect(none.text.contains("None of these media types are available: text/plain"))
            #expect(try await get("labels", "undefined").text.contains("available: undefined"))
            #expect(try await get("rpc/teapot", "text/xml").status == .notAcceptable)
            let head = try await rest.send(.head, "labels", "", ["Accept": "text/csv"])
            #expect(head.headers[.contentType] == "text/csv; charset=utf-8")
        }
    }

    @Test func `makes features where there is PostGIS, and says that there is none`() async throws {
        try await RestServer.with { rest in
            let response = try await rest.send(.get, "labels", "", ["Accept": "application/geo+json"])
            #expect(response.status == .notAcceptable)
            // The name and form of PostGIS's function.
            try rest.application.execute(
                """
                CREATE FUNCTION st_asgeojson(r record) RETURNS text LANGUAGE plpgsql STABLE
                    AS $$ BEGIN RETURN json_build_object('type', 'Feature', 'properties', to_json(r))::text; END $$
                """
            )
            let features = try await rest.send(.get, "labels?id=eq.1", "", ["Accept": "application/geo+json"])
            #expect(features.headers[.contentType] == "application/geo+json; charset=utf-8")
            #expect(
                try JSONParser.parse(features.body) == [
                    "type": "FeatureCollection",
                    "features": [["type": "Feature", "properties": ["id": 1, "word": "urgent"]]],
                ]
            )
        }
    }

    @Test func `a function names the answer's type and how long it may be kept`() async throws {
        let sql = """
            CREATE FUNCTION dress() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                PERFORM set_config('response.headers', '[{"Content-Type": "application/custom+json"},
                    {"Cache-Control": "max-age=60"}]', true); END $$;
            """
        try await RestServer.with({ $0.preRequest = "dress" }, sql: sql) { rest in
            for path in ["labels", "rpc/projects_of?client=1"] {
                for method in [SwiftletHTTP.Method.get, .head] {
                    let response = try await rest.send(method, path)
                    #expect(response.headers.all(.contentType) == ["application/custom+json"], "\(path)")
                    #expect(response.headers.all(.cacheControl) == ["max-age=60"], "\(path)")
                }
            }
        }
    }

    @Test func `represents domains by their casts`() async throws {
        let sql = """
            CREATE DOMAIN color AS int;
            CREATE FUNCTION color_out(color) RETURNS json LANGUAGE sql IMMUTABLE
                AS $$ SELECT to_json('#' || lpad(to_hex($1::int), 6, '0')) $$;
            CREATE CAST (color AS json) WITH FUNCTION color_out(color) AS IMPLICIT;
            CREATE FUNCTION color_in(text) RETURNS color LANGUAGE sql IMMUTABLE
                AS $$ SELECT ('x' || lpad(ltrim($1, '#'), 8, '0'))::bit(32)::int::color $$;
            CREATE FUNCTION color_in(json) RETURNS color LANGUAGE sql IMMUTABLE AS $$ SELECT color_in($1 #>> '{}') $$;
            CREATE CAST (text AS color) WITH FUNCTION color_in(text) AS IMPLICIT;
            CREATE CAST (json AS color) WITH FUNCTION color_in(json) AS IMPLICIT;
            CREATE TABLE paints (id int PRIMARY KEY, name text, shade color DEFAULT 255);
            INSERT INTO paints VALUES (1, 'red', 16711680), (2, 'blue', 255);
            GRANT ALL ON paints TO service_role;
            """
        try await RestServer.with(sql: sql) { rest in
            #expect(try await rest.get("paints?id=eq.1") == [["id": 1, "name": "red", "shade": "#ff0000"]])
            #expect(try await rest.get("paints?select=tone:shade&id=eq.2") == [["tone": "#0000ff"]])
            #expect(try await rest.get("paints?select=shade::int&id=eq.2") == [["shade": 255]])
            #expect(try await rest.get("paints?select=id&shade=eq.%23ff0000") == [["id": 1]])
            #expect(
                try await rest.get("paints?select=id&shade=in.(%23ff0000,%230000ff)&order=id") == [
                    ["id": 1], ["id": 2],
                ]
            )
            let made = try await rest.send(
                .post,
                "paints",
                ##"{"id":3,"name":"green","shade":"#00ff00"}"##,
                ["Prefer": "return=representation"]
            )
            #expect(made.text == ##"[{"id":3,"name":"green","shade":"#00ff00"}]"##)
            let changed = try await rest.send(
                .patch,
                "paints?id=eq.3&select=shade",
                ##"{"shade":"#000001"}"##,
                ["Prefer": "return=representation"]
            )
            #expect(changed.text == ##"[{"shade":"#000001"}]"##)
        }
    }
}
