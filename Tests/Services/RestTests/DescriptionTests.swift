import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletRest

/// The OpenAPI document of the root.
@Suite(.needsDatabase, .hangLimit) struct DescriptionTests {
    private static let sql = """
        COMMENT ON SCHEMA public IS E'Studio\\n\\nWhat the studio\\nworks on';
        CREATE TYPE mood AS ENUM ('calm', 'busy');
        CREATE FUNCTION feel(m mood) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
        CREATE DOMAIN short AS varchar(8) DEFAULT 'none';
        CREATE TABLE described (id int PRIMARY KEY, client_id int NOT NULL REFERENCES clients (id), word text DEFAULT 'it''s',
            open boolean DEFAULT false, price numeric(8, 2) DEFAULT 4.5, day date DEFAULT '2025-01-02', made timestamptz
            DEFAULT now(), mood mood, tags text[], code varchar(5) NOT NULL DEFAULT 'x', brief short, meta jsonb);
        COMMENT ON TABLE described IS E'Things that are described\\n\\nAt length';
        COMMENT ON COLUMN described.id IS 'The number';
        COMMENT ON COLUMN described.word IS 'One word';
        CREATE VIEW client_names AS SELECT id, name FROM clients;
        CREATE FUNCTION quiet(n int, word text DEFAULT 'a', list int[] DEFAULT '{}') RETURNS int LANGUAGE sql STABLE AS 'SELECT n';
        COMMENT ON FUNCTION quiet IS E'Says n\\nand nothing else';
        CREATE FUNCTION many(VARIADIC words text[]) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
        CREATE FUNCTION hidden() RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';
        REVOKE EXECUTE ON FUNCTION hidden() FROM public;
        GRANT EXECUTE ON FUNCTION hidden() TO service_role;
        GRANT ALL ON described, client_names TO service_role;
        GRANT SELECT (id) ON described TO authenticated;
        """

    private func document(_ rest: RestServer, role: String = "service_role") async throws -> JSONValue {
        let response = try await rest.send(.get, "", "", role: role)
        #expect(response.status == .ok)
        return try JSONParser.parse(response.body)
    }

    @Test func `tables and functions are those that the caller may use`() async throws {
        try await RestServer.with(sql: Self.sql) { rest in
            let all = try await document(rest)["paths"]
            #expect(all?["/projects"] != nil)
            #expect(all?["/rpc/hidden"] != nil)
            let some = try await document(rest, role: "authenticated")["paths"]
            #expect(some?["/projects"] == nil)
            #expect(some?["/rpc/hidden"] == nil)
            #expect(some?["/clients"] != nil)
            #expect(some?["/rpc/quiet"] != nil)
            // The right to one column is enough.
            #expect(some?["/described"] != nil)
            let nobody = try await rest.application.send(.get, "/rest/v1/")
            let definitions = try JSONParser.parse(nobody.body)["definitions"]?.object
            #expect(definitions?.keys.contains("clients") == true)
            #expect(definitions?.keys.contains("described") == false)
            #expect(definitions?.keys.contains("projects") == false)
        }
    }

    @Test func `everything or nothing is described on request`() async throws {
        try await RestServer.with({ $0.description = .everything }, sql: Self.sql) { rest in
            let all = try await document(rest, role: "authenticated")
            #expect(all["paths"]?["/projects"] != nil)
        }
        try await RestServer.with({ $0.description = .off }) { rest in
            let off = try await rest.send(.get, "")
            #expect(off.status == .notFound)
            #expect(off.text.contains("PGRST126"))
        }
    }

    @Test func `operations refer to their parameters`() async throws {
        try await RestServer.with(sql: Self.sql) { rest in
            let document = try await document(rest)
            let path = try #require(document["paths"]?["/client_names"])
            func references(_ method: String) -> [String] {
                (path[method]?["parameters"]?.array ?? []).compactMap { $0["$ref"]?.string }
            }
            let filters = ["id", "name"].map { "#/parameters/rowFilter.client_names.\($0)" }
            func common(_ names: [String]) -> [String] { names.map { "#/parameters/\($0)" } }
            #expect(
                references("get")
                    == filters + common(["select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"])
            )
            #expect(references("post") == common(["body.client_names", "select", "preferPost"]))
            #expect(references("patch") == filters + common(["body.client_names", "preferReturn"]))
            #expect(references("delete") == filters + common(["preferReturn"]))
            let parameters = try #require(document["parameters"])
            for method in ["get", "post", "patch", "delete"] {
                for reference in references(method) {
                    #expect(parameters[String(reference.dropFirst(13))] != nil, "\(reference)")
                }
            }
            #expect(path["get"]?["responses"]?["200"]?["schema"]?["items"] == ["$ref": "#/definitions/client_names"])
            #expect(path["post"]?["responses"] == ["201": ["description": "Created"]])
        }
    }

    @Test func `comments are a title and the rest, and defaults are values`() async throws {
        try await RestServer.with(sql: Self.sql) { rest in
            let document = try await document(rest)
            #expect(document["info"]?["title"] == "Studio")
            #expect(document["info"]?["description"] == "What the studio\nworks on")
            let get = document["paths"]?["/described"]?["get"]
            #expect(get?["summary"] == "Things that are described")
            #expect(get?["description"] == "At length")
            let definition = try #require(document["definitions"]?["described"])
            #expect(definition["description"] == "Things that are described\n\nAt length")
            #expect(definition["required"] == ["id", "client_id", "code"])
            let properties = try #require(definition["properties"])
            #expect(
                properties["id"] == [
                    "format": "integer", "type": "integer",
                    "description": "The number\n\nNote:\nThis is a Primary Key.<pk/>",
                ]
            )
            // Of the table and the view that shows it the table.
            #expect(
                properties["client_id"]?["description"]
                    == "Note:\nThis is a Foreign Key to `clients.id`.<fk table='clients' column='id'/>"
            )
            #expect(
                properties["word"] == [
                    "format": "text", "type": "string", "default": "it's", "description": "One word",
                ]
            )
            #expect(properties["open"] == ["format": "boolean", "type": "boolean", "default": false])
            #expect(properties["price"]?["format"] == "numeric")
            #expect(properties["price"]?["default"]?.double == 4.5)
            #expect(properties["day"]?["default"] == "2025-01-02")
            #expect(properties["made"]?["default"] == "now()")
            #expect(properties["mood"] == ["format": "public.mood", "type": "string", "enum": ["calm", "busy"]])
            #expect(properties["tags"] == ["format": "text[]", "type": "array", "items": ["type": "string"]])
            #expect(
                properties["code"]
                    == ["format": "character varying", "type": "string", "maxLength": 5, "default": "x"]
            )
            #expect(properties["brief"]?["format"] == "character varying")
            #expect(properties["meta"] == ["format": "jsonb"])
        }
    }

    @Test func `functions that change nothing can be called by GET`() async throws {
        try await RestServer.with(sql: Self.sql) { rest in
            let paths = try #require(try await document(rest)["paths"])
            #expect(paths["/rpc/forget"]?["get"] == nil)
            let quiet = try #require(paths["/rpc/quiet"])
            #expect(quiet["get"]?["summary"] == "Says n")
            #expect(quiet["get"]?["description"] == "and nothing else")
            #expect(
                quiet["get"]?["parameters"] == [
                    ["name": "n", "required": true, "in": "query", "format": "integer", "type": "integer"],
                    ["name": "word", "required": false, "in": "query", "format": "text", "type": "string"],
                    ["name": "list", "required": false, "in": "query", "format": "integer[]", "type": "string"],
                ]
            )
            #expect(paths["/rpc/feel"]?["get"]?["parameters"]?[0]?["format"] == "mood")
            let schema = try #require(quiet["post"]?["parameters"]?[0]?["schema"])
            #expect(schema["required"] == ["n"])
            #expect(schema["description"] == "Says n\nand nothing else")
            #expect(quiet["post"]?["parameters"]?[1] == ["$ref": "#/parameters/preferParams"])
            #expect(
                paths["/rpc/many"]?["get"]?["parameters"] == [
                    [
                        "name": "words", "required": false, "in": "query", "type": "array", "collectionFormat": "multi",
                        "items": ["type": "string", "format": "text"],
                    ]
                ]
            )
        }
    }

    @Test(arguments: [
        ("application/openapi+json", "application/openapi+json; charset=utf-8"),
        ("application/json", "application/json; charset=utf-8"), ("*/*", "application/openapi+json; charset=utf-8"),
    ])
    func `the document has the type that is accepted`(accept: String, type: String) async throws {
        try await RestServer.with { rest in
            for method in [SwiftletHTTP.Method.get, .head] {
                let response = try await rest.send(method, "", "", ["Accept": accept])
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == type)
            }
            #expect(try await rest.send(.get, "", "", ["Accept": "text/csv"]).status == .notAcceptable)
            #expect(
                try await rest.send(.get, "clients", "", ["Accept": "application/openapi+json"]).status
                    == .notAcceptable
            )
        }
    }
}
