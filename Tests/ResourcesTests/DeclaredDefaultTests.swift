import HTTP
import Swiftlet
import SwiftletTesting
import Testing

/// Jobs whose declaration fills what a body leaves out. Their columns take no NULL, except `place`.
@Suite(.needsDatabase, .hangLimit)
struct DeclaredDefaultTests {
    @Test(arguments: ["{}", #"{"code":null,"due":null,"state":null,"kind":null,"place":null}"#])
    func `an explicit null on create is no value either`(body: String) async throws {
        try await Office.with([jobs], sql: schema) { office async throws in
            let made = try await office.ask(.ann, .post, "/jobs", body)
            #expect(made.status == .created)
            #expect(made.json["code"]?.string?.hasPrefix("J-") == true)
            #expect(made.json["due"]?.string?.hasSuffix("Z") == true)
            #expect(made.json["state"] == "new")
            #expect(made.json["kind"] == "repair")
            #expect(made.json["place"] == "yard")
        }
    }

    @Test func `a null that no declaration replaces, and one in an update, keep their meaning`() async throws {
        try await Office.with([jobs], sql: schema) { office async throws in
            let refused = try await office.ask(.ann, .post, "/jobs", #"{"note":null}"#)
            #expect(refused.json["details"] == ["note": "must not be null"])
            #expect(try await office.ask(.ann, .post, "/jobs", #"{"place":"roof"}"#).json["place"] == "roof")
            let cleared = try await office.ask(.ann, .patch, "/jobs/1", #"{"place":null}"#)
            #expect(cleared.json["place"] == .null)
            let kept = try await office.ask(.ann, .patch, "/jobs/1", #"{"state":null}"#)
            #expect(kept.json["details"] == ["state": "must not be null"])
        }
    }
}

private let jobs = Function("jobs") {
    Resource("jobs", scope: .tenant) {
        only("kind", "repair", "visit")
        numbered("code", "J-")
        defaultNow("due")
        defaultValue("state") { _ in "new" }
        defaultValue("place") { _ in "yard" }
    }
    .routes()
}

private let schema = """
    CREATE TABLE jobs (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, code varchar NOT NULL, due timestamptz NOT NULL,
        state varchar NOT NULL, kind varchar NOT NULL, note text NOT NULL DEFAULT '', place text
    );
    """
