import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletRest

/// What functions give and take, as in PostgREST's `RpcSpec`.
@Suite(.needsDatabase, .hangLimit) struct FunctionTests {
    private static let sql = """
        CREATE FUNCTION one_out(num int, OUT plus_one int) LANGUAGE sql IMMUTABLE AS 'SELECT num + 1';
        CREATE FUNCTION one_inout(INOUT num int) LANGUAGE sql IMMUTABLE AS 'SELECT num + 1';
        CREATE FUNCTION one_col() RETURNS TABLE (id int) LANGUAGE sql STABLE AS 'SELECT generate_series(1, 3)';
        CREATE FUNCTION two_out(OUT a int, OUT b text) LANGUAGE sql STABLE AS $$ SELECT 1, 'two' $$;
        CREATE FUNCTION some_record() RETURNS record LANGUAGE sql STABLE AS 'SELECT id, name FROM projects WHERE id = 1';
        CREATE FUNCTION some_records(smallest int) RETURNS SETOF record LANGUAGE sql STABLE
            AS 'SELECT id, name FROM projects WHERE id >= smallest AND id < 3 ORDER BY id';
        CREATE DOMAIN project_domain AS projects;
        CREATE FUNCTION project_as_domain(wanted int) RETURNS SETOF project_domain LANGUAGE sql STABLE
            AS 'SELECT projects::project_domain FROM projects WHERE id = wanted';
        CREATE FUNCTION letters(code char(5), codes char(5)[] DEFAULT NULL) RETURNS TABLE (code_ text, codes_ text[])
            LANGUAGE sql IMMUTABLE AS 'SELECT code::text, codes::text[]';
        CREATE FUNCTION letter(code char(5)) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT code';
        CREATE FUNCTION bits(b bit(3)) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT b::text';
        CREATE FUNCTION several(VARIADIC v text[] DEFAULT '{}') RETURNS text[] LANGUAGE sql IMMUTABLE AS 'SELECT v';
        CREATE FUNCTION nothing_given() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 7';
        CREATE FUNCTION unnamed(json) RETURNS json LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION unnamed(bytea) RETURNS bytea LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION unnamed(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION unnamed() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
        CREATE FUNCTION unnamed(x int, y int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT x + y';
        CREATE FUNCTION doubled(json) RETURNS json LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION doubled(jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION hidden_int(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION greet(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'Hello, ' || name $$;
        CREATE FUNCTION preset() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
        CREATE FUNCTION preset(text DEFAULT 'x') RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION preset(int DEFAULT 7) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
        CREATE FUNCTION either(a text) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
        CREATE FUNCTION either(a int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2';
        CREATE FUNCTION overload(arg int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT arg';
        CREATE FUNCTION overload(arg text, num int DEFAULT 0) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT arg';
        CREATE FUNCTION raise_bad_status() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
            RAISE SQLSTATE 'PT40A' USING MESSAGE = 'Wrong'; END $$;
        CREATE FUNCTION raise_no_detail() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
            RAISE SQLSTATE 'PGRST' USING MESSAGE = '{"code":"1","message":"ABC"}'; END $$;
        CREATE FUNCTION raise_bad_message() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
            RAISE SQLSTATE 'PGRST' USING MESSAGE = 'INVALID', DETAIL = '{"status":332,"headers":{}}'; END $$;
        """

    @Test(arguments: [
        ("one_out?num=5", #"{"plus_one":6}"#), ("one_inout?num=2", #"{"num":3}"#),
        ("two_out", #"{"a":1,"b":"two"}"#),
        ("one_col", #"[{"id":1},{"id":2},{"id":3}]"#), ("one_col?id=gt.1&order=id.desc", #"[{"id":3},{"id":2}]"#),
        ("one_col?select=other:id&limit=1", #"[{"other":1}]"#),
        ("some_record", #"{"id":1,"name":"Site"}"#),
        ("some_records?smallest=1", #"[{"id":1,"name":"Site"},{"id":2,"name":"Shop"}]"#),
        ("project_as_domain?wanted=1&select=id,clients(id)", #"[{"id":1,"clients":{"id":1}}]"#),
        ("letter?code=abcde", #""abcde""#), ("letters?code=abcdefg&select=code_", #"[{"code_":"abcdefg"}]"#),
        ("letters?code=a&codes={abc,abcdefg}&select=codes_", #"[{"codes_":["abc","abcdefg"]}]"#),
        ("bits?b=101", #""101""#), ("several", "[]"), ("several?v=hi&v=there", #"["hi","there"]"#),
        ("nothing_given", "7"), ("unnamed", "1"), ("greet?name=ignored&name=you", #""Hello, you""#),
    ])
    func `gives rows where results have names, and one value where they have none`(
        path: String,
        expected: String
    ) async throws {
        try await Self.shared { rest in
            let response = try await rest.send(.get, "rpc/\(path)")
            #expect(response.status == .ok)
            let body = try JSONParser.parse(response.body)
            #expect(body == (try JSONParser.parse(Array(expected.utf8))), "\(path): \(response.text)")
        }
    }

    @Test func `takes forms, and chooses by the type of the content`() async throws {
        try await Self.shared { rest in
            func post(_ path: String, _ type: String, _ body: String) async throws -> Response {
                try await rest.send(.post, "rpc/\(path)", body, ["Content-Type": type])
            }
            let form = "application/x-www-form-urlencoded"
            #expect(try await post("several", form, "").text == "[]")
            #expect(try JSONParser.parse(try await post("several", form, "v=hi&v=there").body) == ["hi", "there"])
            #expect(try await post("nothing_given", form, "").text == "7")
            #expect(try await post("letter", "application/json", #"{"code":"abcde"}"#).text == #""abcde""#)
            #expect(try await post("some_records", "application/json", #"{"smallest":2}"#).text.contains("Shop"))
            #expect(try await post("unnamed", "application/json", "{}").text == "1")
            #expect(try await post("unnamed", "application/json", #"{"x":1,"y":2}"#).text == "3")
            #expect(try await post("unnamed", "application/json", #"{"A":1}"#).text == #"{"A":1}"#)
            #expect(try await post("unnamed", "text/plain", "some text").text == #""some text""#)
            #expect(try await post("unnamed", "application/octet-stream", "bytes").text == #""\\x6279746573""#)
            let csv = try await post("unnamed", "text/csv", "a,b\n1,2")
            #expect(csv.status == .notFound)
            #expect(csv.text.contains("Perhaps you meant to call the function public.unnamed(x, y)"))
            let twice = try await post("doubled", "application/json", #"{"A":1}"#)
            #expect(twice.status == 300)
            #expect(twice.text.contains("public.doubled( => json), public.doubled( => jsonb)"))
            let plain = try await post("greet", "text/plain", "x")
            #expect(plain.text.contains("with a single unnamed text parameter, but no matches"))
            #expect(plain.text.contains("Could not find the function public.greet in the schema cache"))
            let hidden = try await post("hidden_int", "application/json", #"{"x":1}"#)
            #expect(hidden.text.contains("with parameter x or with a single unnamed json/jsonb parameter"))
            let ambiguous = try await rest.send(.get, "rpc/overload?arg=1")
            #expect(
                ambiguous.text.contains(
                    "public.overload(arg => integer), public.overload(arg => text, num => integer)"
                )
            )
            let either = try await post("either", "application/json", #"{"a":1}"#)
            #expect(either.text.contains("public.either(a => integer), public.either(a => text)"))
            let near = try await rest.send(.get, "rpc/greet?nam=x")
            #expect(near.text.contains("Perhaps you meant to call the function public.greet(name)"))
        }
    }

    /// The clients' types know such an argument by the empty name.
    @Test func `gives an argument without a name the whole content`() async throws {
        try await Self.shared { rest in
            func post(_ path: String, _ body: String) async throws -> Response {
                try await rest.send(.post, "rpc/\(path)", body, ["Content-Type": "application/json"])
            }
            let text = try await post("preset", #"{"":"given"}"#)
            #expect(try JSONParser.parse(text.body) == #"{"":"given"}"#, "\(text.text)")
            #expect(try await post("unnamed", #"{"":1}"#).status == 300)
            for nothing in [try await post("preset", "{}"), try await rest.send(.get, "rpc/preset")] {
                #expect(nothing.status == 300)
                #expect(nothing.text.contains("public.preset(), public.preset( => text)"), "\(nothing.text)")
            }
            let number = try await post("hidden_int", #"{"":1}"#)
            #expect(number.status == .notFound)
            #expect(number.text.contains("public.hidden_int() in the schema cache"))
            #expect(number.text.contains("with parameter  or with a single unnamed json/jsonb parameter"))
            let form = "application/x-www-form-urlencoded"
            let nameless = try await rest.send(.post, "rpc/hidden_int", "=1", ["Content-Type": form])
            #expect(nameless.status == .badRequest)
            #expect(nameless.text.contains("PGRST102"))
        }
    }

    @Test func `counts, and answers HEAD and other methods`() async throws {
        try await Self.shared { rest in
            let one = try await rest.send(.get, "rpc/greet?name=a", "", ["Prefer": "count=exact"])
            #expect(one.headers["Content-Range"] == "0-0/1")
            let past = try await rest.send(.get, "rpc/one_col?offset=9", "", ["Prefer": "count=exact"])
            #expect(past.status == 416)
            #expect(past.headers["Content-Range"] == "*/3")
            let head = try await rest.send(.head, "rpc/one_col?limit=1", "", ["Prefer": "count=exact", "Range": "1-1"])
            #expect(head.status == 206)
            #expect(head.headers["Content-Range"] == "0-0/3")
            #expect(head.headers["Content-Type"] == "application/json; charset=utf-8")
            #expect(head.headers["Preference-Applied"] == "count=exact")
            let removed = try await rest.send(.delete, "rpc/greet")
            #expect(removed.status == .methodNotAllowed)
            #expect(removed.text.contains("Cannot use the DELETE method on RPC"))
            let limited = try await rest.send(
                .get,
                "rpc/greet?name=a",
                "",
                ["Prefer": "handling=strict, max-affected=1"]
            )
            #expect(limited.text.contains("PGRST128"))
            let single = try await rest.send(
                .get,
                "rpc/one_col?limit=1",
                "",
                ["Accept": "application/vnd.pgrst.object+json"]
            )
            #expect(single.text == #"{"id":1}"#)
        }
    }

    @Test(arguments: [
        ("raise_bad_status", #""code":"PT40A""#), ("raise_no_detail", "DETAIL is missing in the RAISE statement"),
        ("raise_bad_message", "Invalid JSON value for MESSAGE: 'INVALID'"),
    ])
    func `says what is wrong with a raised error`(name: String, text: String) async throws {
        try await Self.shared { rest in
            let response = try await rest.send(.post, "rpc/\(name)")
            #expect(response.status == 500)
            #expect(response.text.contains(text), "\(response.text)")
        }
    }

    private static func shared(_ body: (RestServer) async throws -> Void) async throws {
        try await RestServer.with(sql: sql, body)
    }
}
