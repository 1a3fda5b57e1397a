import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// Changes of rows with an `Idempotency-Key`.
@Suite(.needsDatabase, .hangLimit)
struct IdempotentResourceTests {
    private static let key: [(Headers.Name, String)] = [("Idempotency-Key", "\"k\"")]

    private static func isReplayed(_ answer: Office.Answer) -> Bool { answer.headers["Idempotency-Replayed"] == "true" }

    @Test func `a row is made once, and changed once`() async throws {
        try await Office.with([vans], sql: schema) { office in
            let body = #"{"plate":"B-1","colour":"red"}"#
            let made = try await office.ask(.ann, .post, "/vans", body, headers: Self.key)
            let again = try await office.ask(.ann, .post, "/vans", body, headers: Self.key)
            #expect(made.status == .created && again.status == .created)
            #expect(!Self.isReplayed(made) && Self.isReplayed(again))
            #expect(again.text == made.text)
            #expect(again.json["created_at"]?.string?.hasSuffix("Z") == true)
            #expect(again.ignoredFields == "colour" && made.ignoredFields == "colour")
            #expect(try office.server.count("vans") == 1)

            let change: [(Headers.Name, String)] = [("Idempotency-Key", "change")]
            let changed = try await office.ask(.ann, .patch, "/vans/1", #"{"plate":"B-2"}"#, headers: change)
            _ = try await office.ask(.ann, .patch, "/vans/1", #"{"plate":"B-3"}"#)
            let repeated = try await office.ask(.ann, .patch, "/vans/1", #"{"plate":"B-2"}"#, headers: change)
            #expect(changed.status == .ok && Self.isReplayed(repeated))
            #expect(repeated.text == changed.text)
            #expect(try office.server.count("vans WHERE plate = 'B-3'") == 1)
        }
    }

    @Test(arguments: [(#"{"plate":"taken"}"#, Status.conflict), (#"{"plate":7}"#, .badRequest), ("{}", .badRequest)])
    func `a refusal is the same again, also when it would not be made now`(body: String, status: Status) async throws {
        let sql = schema + "; INSERT INTO vans (tenant_id, plate) VALUES ('a', 'taken')"
        try await Office.with([vans], sql: sql) { office in
            let first = try await office.ask(.ann, .post, "/vans", body, headers: Self.key)
            try office.server.execute("DELETE FROM vans")
            let again = try await office.ask(.ann, .post, "/vans", body, headers: Self.key)
            #expect(first.status == status && again.status == status)
            #expect(again.text == first.text && Self.isReplayed(again))
            #expect(try office.server.count("vans") == 0)
        }
    }

    @Test func `a column that is newer than the catalog is no refusal to keep`() async throws {
        try await Office.with([vans], sql: schema) { office in
            _ = try await office.ask(.ann, .post, "/vans", #"{"plate":"B-1"}"#)
            try office.server.execute("DELETE FROM vans; ALTER TABLE vans ADD COLUMN seats integer NOT NULL")
            let body = #"{"plate":"B-2","seats":3}"#
            let made = try await office.ask(.ann, .post, "/vans", body, headers: Self.key)
            #expect(made.status == .created)
            #expect(made.json["seats"] == 3)
            #expect(Self.isReplayed(try await office.ask(.ann, .post, "/vans", body, headers: Self.key)))
            #expect(try office.server.count("vans") == 1)
        }
    }
}

private let vans = Function("vans") { Resource("vans", scope: .tenant) { Required("plate") }.routes() }

private let schema = """
    CREATE TABLE vans (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, plate text NOT NULL UNIQUE,
        created_at timestamptz NOT NULL DEFAULT now()
    )
    """
