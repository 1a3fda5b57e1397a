import Swiftlet
import SwiftletTesting
import Testing

/// Columns of types that a database may have without a function's author knowing.
@Suite(.needsDatabase, .hangLimit)
struct ColumnTypeTests {
    @Test(arguments: [
        (
            "jsonb[]", #"ARRAY['{"at":"2024-01-15T10:30:00.5"}', NULL]::jsonb[]"#,
            #"[{"at": "2024-01-15T10:30:00Z"}, null]"#
        ),
        ("inet[]", "ARRAY['10.0.0.1', NULL]::inet[]", #"["10.0.0.1", null]"#),
        ("bytea[]", #"ARRAY['\x00ff']::bytea[]"#, #"["\\x00ff"]"#),
        ("int4range[]", "ARRAY['[1,5)']::int4range[]", #"["[1,5)"]"#),
        ("int[]", "ARRAY[ARRAY[1,2],ARRAY[3,NULL]]", "[[1,2],[3,null]]"), ("interval", "'1 day'", #""1 day""#),
    ])
    func `is read as the JSON that PostgreSQL makes of it`(type: String, value: String, json: String) async throws {
        try await Office.with([samples], sql: schema(type, value)) { office in
            let answer = try await office.ask(.ann, .get, "/samples/1")
            #expect(answer.text == #"{"id":1,"tenant_id":"a","v":\#(json)}"#)
        }
    }

    @Test func `a field from another table as well`() async throws {
        try await Office.with([holders], sql: schema("inet[]", "ARRAY['10.0.0.1']::inet[]")) { office in
            let answer = try await office.ask(.ann, .get, "/holders/1")
            #expect(answer.json["addresses"] == .array(["10.0.0.1"]))
        }
    }

    @Test(arguments: [("bytea", #""\\xzz""#), ("bytea", #""\\x0""#), ("bytea", #""00""#), ("inet", #""x""#)])
    func `an invalid value is a 400 that names its field`(type: String, value: String) async throws {
        try await Office.with([samples], sql: schema(type, "NULL")) { office in
            let answer = try await office.ask(.ann, .patch, "/samples/1", #"{"v":\#(value)}"#)
            #expect(answer.status == .badRequest)
            #expect(answer.json["details"]?["v"] != nil)
        }
    }
}

private func schema(_ type: String, _ value: String) -> String {
    """
    CREATE TABLE samples (id int PRIMARY KEY, tenant_id varchar NOT NULL, v \(type));
    INSERT INTO samples VALUES (1, 'a', \(value));
    CREATE TABLE holders (id int PRIMARY KEY, tenant_id varchar NOT NULL, sample_id int NOT NULL);
    INSERT INTO holders VALUES (1, 'a', 1);
    """
}

private let samples = Function("samples") {
    Resource("samples", scope: .tenant).routes()
}

private let holders = Function("holders") {
    Resource("holders", scope: .tenant) {
        Joined("addresses", from: "samples", column: "v", by: "sample_id")
    }
    .routes()
}
