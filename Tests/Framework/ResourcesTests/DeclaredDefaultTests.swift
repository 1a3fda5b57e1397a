import SwiftletHTTP
import Swiftlet
import SwiftletTesting
import Testing

/// Jobs whose declaration fills what a body leaves out. Their columns take no NULL, except `place`.
@Suite(.needsDatabase, .hangLimit)
struct DeclaredDefaultTests {
    @Test(arguments: [
        #"{"title":"t"}"#, #"{"title":"t","code":null,"due":null,"state":null,"kind":null,"place":null}"#,
    ])
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

    @Test func `a null on create leaves the column to the database's default`() async throws {
        try await Office.with([jobs], sql: schema) { office async throws in
            let made = try await office.ask(.ann, .post, "/jobs", #"{"title":"t","note":null,"country":null}"#)
            #expect(made.status == .created)
            #expect(made.json["note"] == "none")
            #expect(made.json["country"] == "DE")
        }
    }

    @Test func `a null that nothing replaces, and one in an update, keep their meaning`() async throws {
        try await Office.with([jobs], sql: schema) { office async throws in
            let refused = try await office.ask(.ann, .post, "/jobs", #"{"title":null}"#)
            #expect(refused.json["details"] == ["title": "must not be null"])
            #expect(
                try await office.ask(.ann, .post, "/jobs", #"{"title":"t","place":"roof"}"#).json["place"] == "roof"
            )
            let cleared = try await office.ask(.ann, .patch, "/jobs/1", #"{"place":null,"country":null}"#)
            #expect(cleared.json["place"] == .null)
            #expect(cleared.json["country"] == .null)
            for name in ["state", "note", "title"] {
                let kept = try await office.ask(.ann, .patch, "/jobs/1", #"{"\#(name)":null}"#)
                #expect(kept.json["details"] == [name: "must not be null"])
            }
        }
    }
}

private let jobs = Function("jobs") {
    Resource("jobs", scope: .tenant) {
        Required("title")
        Only("kind", "repair", "visit")
        Numbered("code", "J-")
        DefaultNow("due")
        Default("state") { _ in "new" }
        Default("place") { _ in "yard" }
    }
    .routes()
}

private let schema = """
    CREATE TABLE jobs (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, code varchar NOT NULL, due timestamptz NOT NULL,
        state varchar NOT NULL, kind varchar NOT NULL, note text NOT NULL DEFAULT 'none', place text,
        country text DEFAULT 'DE', title text NOT NULL DEFAULT 'untitled'
    );
    """
