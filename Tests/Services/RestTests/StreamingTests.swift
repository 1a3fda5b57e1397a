import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletRest

/// Answers that are too large to be made as a whole.
@Suite(.needsDatabase, .hangLimit) struct StreamingTests {
    private static let tables = """
        CREATE TABLE many AS SELECT id, 'row ' || id AS name, NULLIF(id % 3, 0) AS rest
            FROM generate_series(1, 30000) AS id;
        CREATE TABLE wide AS SELECT id, repeat(md5(id::text), 4000) AS text FROM generate_series(1, 30) AS id;
        CREATE VIEW broken AS SELECT id, 1 / (25000 - id) AS share FROM many;
        CREATE VIEW halves AS SELECT (id + 1) / 2 AS half FROM generate_series(1, 50000) AS id;
        GRANT SELECT ON many, wide, broken, halves TO service_role, authenticated;

        """

    private func database(_ rest: RestServer, _ sql: String) throws -> String? {
        try BlockingConnection.connect(to: rest.application.databaseURL).query(sql).first?[0]
    }

    @Test(arguments: [
        ("many", "SELECT json_agg(m) FROM many AS m", "0-29999/30000"),
        ("wide", "SELECT json_agg(w) FROM wide AS w", "0-29/30"),
        (
            "many?select=id,text:name&order=id.desc&offset=10&limit=29000",
            "SELECT json_agg(m) FROM (SELECT id, name AS text FROM many ORDER BY id DESC OFFSET 10 LIMIT 29000) AS m",
            "10-29009/30000"
        ),
        (
            "many?id=gte.9000&order=id",
            "SELECT json_agg(m) FROM (SELECT * FROM many WHERE id >= 9000 ORDER BY id) AS m", "0-21000/21001"
        ),
    ])
    func `sends the bytes that one piece would have`(path: String, sql: String, range: String) async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            for _ in 0..<2 {
                let response = try await rest.send(.get, path, "", ["Prefer": "count=exact"])
                #expect(response.text == (try database(rest, sql)))
                #expect(response.headers["Content-Range"] == range)
            }
            let plain = try await rest.send(.get, path)
            #expect(plain.status == .ok)
            #expect(plain.headers["Content-Range"] == range.split(separator: "/")[0] + "/*")
        }
    }

    @Test func `strips nulls row by row, and obeys policies`() async throws {
        let policy = """
            ALTER TABLE many ENABLE ROW LEVEL SECURITY;
            CREATE POLICY odd ON many TO authenticated USING (id % 2 = 1 OR id > 5000);
            """
        try await RestServer.with(sql: Self.tables + policy) { rest in
            let accept: KeyValuePairs<Headers.Name, String> = [
                "Accept": "application/vnd.pgrst.array+json;nulls=stripped", "Prefer": "count=exact",
            ]
            let response = try await rest.send(.get, "many?order=id", "", as: RestServer.ada, accept)
            #expect(response.text.hasPrefix(#"[{"id":1,"name":"row 1","rest":1}, \#n {"id":3,"name":"row 3"}, "#))
            #expect(response.headers["Content-Range"] == "0-27499/27500")
        }
    }

    @Test func `counts the groups of an answer, and no rows behind its page`() async throws {
        try await RestServer.with({ $0.allowsAggregates = true }, sql: Self.tables) { rest async throws in
            let groups = try await rest.send(.get, "halves?select=half,half.count()")
            #expect(groups.headers["Content-Range"] == "0-24999/*", "\(groups.text.prefix(200))")
            let page = try await rest.send(.get, "halves?order=half&offset=5000&limit=25000")
            #expect(page.headers["Content-Range"] == "5000-29999/*")
            let last = try await rest.send(.get, "halves?order=half&offset=25000&limit=30000")
            #expect(last.headers["Content-Range"] == "25000-49999/*")
        }
    }

    @Test func `is whole in a batch, however large`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            let token = try RestServer.token(role: "service_role")
            let calls = #"{"requests":[{"method":"GET","path":"/rest/v1/wide"}]}"#
            for _ in 0..<2 {
                let response = try await rest.application.send(.post, "/batch", token: token, calls, headers: [])
                let answer = try JSONParser.parse(response.body)["responses"]?[0]
                #expect(answer?["status"] == 200, "\(response.text.prefix(300))")
                #expect(answer?["body"]?.array?.count == 30)
            }
        }
    }

    @Test func `breaks off at a failure, and gives its connection back`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            // In this process, a response that breaks off is 502.
            #expect(try await rest.send(.get, "broken").status.rawValue == 502)
            // Nobody reads these.
            for _ in 0..<20 { #expect(try await rest.send(.head, "many").status == .ok) }
            let areFree = try await eventually {
                try database(
                    rest,
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"
                ) == "0"
            }
            #expect(areFree)
            #expect(try await rest.send(.get, "wide?select=id&limit=1").text == #"[{"id":1}]"#)
        }
    }
}
