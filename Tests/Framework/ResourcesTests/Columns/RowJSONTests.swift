import Swiftlet
import SwiftletTesting
import Testing

/// Imports what a function file imports, and the tools of the tests.
@Suite(.needsDatabase, .hangLimit)
struct RowJSONTests {
    @Test(
        arguments: [
            ("SELECT timestamp '2024-01-15 10:30:00.987' AS v", #""2024-01-15T10:30:00Z""#),
            ("SELECT timestamptz '2024-01-15 10:30:00+02' AS v", #""2024-01-15T08:30:00Z""#),
            ("SELECT timestamp 'infinity' AS v", "null"), ("SELECT date '2024-01-15' AS v", #""2024-01-15""#),
            ("SELECT 1200.00::numeric(10, 2) AS v", "1200.00"), ("SELECT 9007199254740993 AS v", "9007199254740993"),
            ("SELECT 'NaN'::float8 AS v", "null"), ("SELECT true AS v", "true"), ("SELECT NULL::int AS v", "null"),
            (#"SELECT '{"at": "2024-01-15T10:30:00.5+02:00"}'::jsonb AS v"#, #"{"at":"2024-01-15T08:30:00Z"}"#),
            ("SELECT 'a\"b' AS v", #""a\"b""#), ("SELECT '7'::text AS v", #""7""#),
        ]
    )
    func `a column of a statement of one's own is as a resource writes it`(sql: String, json: String) async throws {
        try await Office.with([values], sql: "CREATE VIEW sample AS \(sql)") { office in
            let answer = try await office.ask(.ann, .get, "/values")
            #expect(answer.text == #"{"value":\#(json)}"#)
        }
    }

    @Test func `rows of one's own are listed as a resource lists them`() async throws {
        let sql = "SELECT * FROM (VALUES (1, timestamp '2024-01-15 10:30:00.9'), (2, NULL)) AS v (id, at)"
        try await Office.with([values], sql: "CREATE VIEW sample AS \(sql)") { office in
            let answer = try await office.ask(.ann, .get, "/values/all")
            #expect(
                answer.text == #"{"data":[{"id":1,"at":"2024-01-15T10:30:00Z"},{"id":2,"at":null}],"total":2}"#
            )
            try office.server.execute("DROP VIEW sample; CREATE VIEW sample AS SELECT 1 AS id, now() AS at WHERE false")
            #expect(try await office.ask(.ann, .get, "/values/all").text == #"{"data":[],"total":0}"#)
        }
    }

    @Test func `a column that is not there is an error`() async throws {
        try await Office.with([values], sql: "CREATE VIEW sample AS SELECT 1 AS other") { office in
            let answer = try await office.ask(.ann, .get, "/values")
            #expect(answer.status == .internalServerError)
        }
    }
}

private let values = Function("values") {
    Get("/all") { _, context in
        try .list(await context.database.query("SELECT id, at FROM sample WHERE \(context.tenant) <> ''"))
    }
    Get { _, context in
        let rows = try await context.database.query("SELECT *, \(context.tenant)::text AS tenant FROM sample")
        context.logger.debug("asked for values", metadata: ["rows": "\(rows.count)"])
        return try .json { json in
            try json.object { json in
                for row in rows { json.member("value", try row.json("v")) }
            }
        }
    }
}
