import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletRest

/// Large answers of other forms than a relation's JSON: CSV, GeoJSON, and what functions give.
@Suite(.needsDatabase, .hangLimit) struct LargeListTests {
    private static let tables = """
        CREATE TABLE many AS SELECT id, 'row, ' || id AS name, NULLIF(id % 3, 0) AS rest
            FROM generate_series(1, 30000) AS id;
        CREATE TABLE wide AS SELECT id, repeat(md5(id::text), 4000) AS text FROM generate_series(1, 30) AS id;
        CREATE VIEW broken AS SELECT id, 1 / (25000 - id) AS share FROM many;
        CREATE TABLE runs (name text);
        CREATE FUNCTION rows_of("from" int) RETURNS SETOF many STABLE LANGUAGE sql
            AS 'SELECT * FROM many WHERE id >= "from" ORDER BY id';
        CREATE FUNCTION pairs() RETURNS TABLE (one int, other text) STABLE LANGUAGE plpgsql
            AS $$ BEGIN RETURN QUERY SELECT id, name FROM many ORDER BY id; END $$;
        CREATE FUNCTION numbers() RETURNS SETOF int IMMUTABLE LANGUAGE sql AS 'SELECT generate_series(1, 30000)';
        CREATE FUNCTION texts() RETURNS SETOF text STABLE LANGUAGE sql AS 'SELECT text FROM wide ORDER BY id';
        CREATE FUNCTION arrays() RETURNS SETOF int[] STABLE LANGUAGE sql
            AS 'SELECT ARRAY[id, id] FROM generate_series(1, 30000) AS id';
        CREATE FUNCTION failing() RETURNS SETOF int STABLE LANGUAGE sql
            AS 'SELECT 1 / (25000 - id) FROM generate_series(1, 30000) AS id';
        CREATE FUNCTION refusing() RETURNS SETOF int STABLE LANGUAGE plpgsql
            AS $$ BEGIN RETURN QUERY SELECT 1 / (25000 - id) FROM generate_series(1, 30000) AS id; END $$;
        CREATE FUNCTION counted() RETURNS SETOF many VOLATILE LANGUAGE sql
            AS $$ INSERT INTO runs VALUES ('counted'); SELECT * FROM many ORDER BY id $$;
        GRANT SELECT ON many, wide, broken TO service_role;
        GRANT SELECT, INSERT ON runs TO service_role;

        """

    private func database(_ rest: RestServer, _ sql: String) throws -> String? {
        try BlockingConnection.connect(to: rest.application.databaseURL).query(sql).first?[0]
    }

    private static func csv(_ columns: String, _ rows: String) -> String {
        """
        SELECT '\(columns)' || E'\\n' || string_agg(substr(m::text, 2, length(m::text) - 2), E'\\n')
        FROM (\(rows)) AS m
        """
    }

    @Test(arguments: [
        ("many?order=id", csv("id,name,rest", "SELECT * FROM many ORDER BY id"), "0-29999/30000"),
        ("wide?order=id", csv("id,text", "SELECT * FROM wide ORDER BY id"), "0-29/30"),
        (
            "many?select=name,number:id&order=id.desc&offset=10&limit=29000",
            csv("name,number", "SELECT name, id FROM many ORDER BY id DESC OFFSET 10 LIMIT 29000"), "10-29009/30000"
        ),
        (
            "rpc/rows_of?from=5001&select=id&order=id.desc&limit=24000",
            csv("id", "SELECT id FROM many WHERE id > 5000 ORDER BY id DESC LIMIT 24000"), "0-23999/25000"
        ),
        ("rpc/numbers", csv("pgrst_scalar", "SELECT generate_series(1, 30000)"), "0-29999/30000"),
        ("many?id=lt.0", "SELECT ''", "*/0"), ("rpc/rows_of?from=40000", "SELECT ''", "*/0"),
    ])
    func `sends as CSV the bytes that one piece would have`(path: String, sql: String, range: String) async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            for _ in 0..<2 {
                let response = try await rest.send(.get, path, "", ["Accept": "text/csv", "Prefer": "count=exact"])
                #expect(response.text == (try database(rest, sql)))
                #expect(response.headers["Content-Range"] == range)
                #expect(response.headers[.contentType] == "text/csv; charset=utf-8")
            }
        }
    }

    @Test(arguments: [
        ("rpc/rows_of", #"{"from":1}"#, "SELECT json_agg(m) FROM many AS m", "0-29999/30000"),
        (
            "rpc/rows_of?id=lte.28000&offset=10", #"{"from":5}"#,
            "SELECT json_agg(m) FROM (SELECT * FROM many WHERE id BETWEEN 15 AND 28000 ORDER BY id) AS m",
            "10-27995/27996"
        ),
        (
            "rpc/pairs?select=other", "{}", "SELECT json_agg(m) FROM (SELECT name AS other FROM many ORDER BY id) AS m",
            "0-29999/30000"
        ),
        ("rpc/numbers", "{}", "SELECT json_agg(n) FROM generate_series(1, 30000) AS n", "0-29999/30000"),
        ("rpc/texts", "{}", "SELECT json_agg(text ORDER BY id) FROM wide", "0-29/30"),
        ("rpc/arrays", "{}", "SELECT json_agg(ARRAY[n, n]) FROM generate_series(1, 30000) AS n", "0-29999/30000"),
    ])
    func `sends the rows of a function`(path: String, body: String, sql: String, range: String) async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            let response = try await rest.send(.post, path, body, ["Prefer": "count=exact"])
            #expect(response.text == (try database(rest, sql)))
            #expect(response.headers["Content-Range"] == range)
            let plain = try await rest.send(.post, path, body)
            #expect(plain.status == .ok)
            #expect(plain.headers["Content-Range"] == range.split(separator: "/")[0] + "/*")
            #expect(plain.body == response.body)
        }
    }

    @Test func `sends features one by one`() async throws {
        let function = """
            CREATE FUNCTION st_asgeojson(r record) RETURNS text LANGUAGE plpgsql STABLE
                AS $$ BEGIN RETURN json_build_object('type', 'Feature', 'properties', to_json(r))::text; END $$;
            """
        let sql = """
            SELECT json_build_object('type', 'FeatureCollection', 'features', json_agg(st_asgeojson(m)::json))
            FROM many AS m
            """
        try await RestServer.with(sql: Self.tables + function) { rest async throws in
            for path in ["many?order=id", "rpc/rows_of?from=1"] {
                let response = try await rest.send(.get, path, "", ["Accept": "application/geo+json"])
                #expect(response.text == (try database(rest, sql)))
            }
        }
    }

    @Test func `runs a function once that may change something`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            let response = try await rest.send(.post, "rpc/counted", "{}", ["Prefer": "count=exact"])
            #expect(response.headers["Content-Range"] == "0-29999/30000")
            #expect(response.text == (try database(rest, "SELECT json_agg(m) FROM many AS m")))
            #expect(try database(rest, "SELECT count(*) FROM runs") == "1")
        }
    }

    /// Each run leaves a line in a file of the server's, as nothing in a transaction that only reads can leave a row.
    @Test func `runs a function once whose answers are known to be large, until they are small or the schema changes`()
        async throws
    {
        let sql = """
            CREATE FUNCTION note() RETURNS void VOLATILE SECURITY DEFINER LANGUAGE plpgsql AS $$
                BEGIN EXECUTE format($f$COPY (SELECT 1) TO PROGRAM 'cat >> runs_%s'$f$, current_database()); END $$;
            CREATE FUNCTION noted(last int) RETURNS TABLE (one int) STABLE LANGUAGE plpgsql AS $$ BEGIN
                PERFORM note(), set_config('response.status', '203', true);
                RETURN QUERY SELECT generate_series(1, last);
            END $$;
            CREATE FUNCTION runs() RETURNS int VOLATILE LANGUAGE sql
                AS $$ SELECT length(pg_read_file('runs_' || current_database())) / 2 $$;

            """
        try await RestServer.with(sql: sql) { rest async throws in
            var runs = 0
            func call(_ last: Int, runs added: Int, _ query: String = "", prefer: String = "") async throws {
                let headers: KeyValuePairs<Headers.Name, String> = prefer.isEmpty ? [:] : ["Prefer": prefer]
                let response = try await rest.send(.get, "rpc/noted?last=\(last)\(query)", "", headers)
                #expect(response.status.rawValue == 203)
                let rows = (1...last).map { #"{"one":\#($0)}"# }
                let isWhole = response.text.filter { !$0.isWhitespace } == "[" + rows.joined(separator: ",") + "]"
                #expect(isWhole, "\(response.text.prefix(200))")
                #expect(response.headers["Content-Range"] == "0-\(last - 1)/\(prefer.isEmpty ? "*" : "\(last)")")
                runs += added
                #expect(try database(rest, "SELECT runs()") == "\(runs)", "after \(last) rows")
            }
            try await call(30_000, runs: 2)
            try await call(30_000, runs: 1)
            try await call(25_000, runs: 1, prefer: "count=exact")
            // Its total is that of all rows.
            try await call(25_000, runs: 2, "&one=gt.0&limit=25000", prefer: "count=exact")
            try await call(3, runs: 1)
            try await call(3, runs: 1)
            try await call(30_000, runs: 2)
            _ = try database(rest, "CREATE TABLE fresh (id int)")
            _ = try database(rest, "GRANT SELECT ON fresh TO service_role")
            let isKnown = try await eventually { try await rest.send(.get, "fresh").status == .ok }
            #expect(isKnown)
            try await call(30_000, runs: 2)
        }
    }

    @Test func `checks the number of rows that a change may have`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            let prefer = "handling=strict, max-affected=25000"
            #expect(try await rest.send(.post, "rpc/numbers", "{}", ["Prefer": prefer]).text.contains("PGRST124"))
        }
    }

    @Test func `holds a few pieces of an answer`() async throws {
        let sql = """
            CREATE TABLE lines AS SELECT id, repeat(md5(id::text), 32) AS text FROM generate_series(1, 12000) AS id;
            CREATE FUNCTION lines() RETURNS SETOF lines STABLE LANGUAGE sql AS 'SELECT * FROM lines';
            GRANT SELECT ON lines TO service_role;
            """
        try await RestServer.with(sql: sql) { rest async throws in
            for (path, accept) in [("lines", "text/csv"), ("rpc/lines", "text/csv"), ("rpc/lines", "application/json")]
            {
                var headers = Headers()
                headers.append("Accept", accept)
                headers.append(.authorization, "Bearer \(try RestServer.token(role: "service_role"))")
                let request = try Request(method: .get, target: "/rest/v1/" + path, headers: headers, body: [])
                let response = await rest.application.application.respond(to: request)
                let sizes = Sizes()
                try await #require(response.stream).produce(ResponseWriter(sizes))
                #expect(await sizes.total > 12_000_000)
                #expect(await sizes.largest < 600_000)
            }
        }
    }

    @Test func `breaks off at a failure in the middle, and answers with one before`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            // In this process, a response that breaks off is 502.
            #expect(try await rest.send(.get, "broken", "", ["Accept": "text/csv"]).status.rawValue == 502)
            // PostgreSQL reads functions in SQL as it reads views.
            #expect(try await rest.send(.get, "rpc/failing").status.rawValue == 502)
            let response = try await rest.send(.get, "rpc/refusing")
            #expect(response.status == .badRequest)
            #expect(response.text.contains("22012"))
            for _ in 0..<20 { #expect(try await rest.send(.head, "rpc/numbers").status == .ok) }
            let areFree = try await eventually {
                try database(
                    rest,
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"
                ) == "0"
            }
            #expect(areFree)
        }
    }
}

private actor Sizes: ResponseSink {
    private(set) var total = 0
    private(set) var largest = 0

    func write(_ bytes: [UInt8]) {
        total += bytes.count
        largest = max(largest, bytes.count)
    }
}
