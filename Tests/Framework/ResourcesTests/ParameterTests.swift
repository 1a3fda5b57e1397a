import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import SwiftletWeb
import Testing

/// Parameters of a query that nothing reads, and tables that are not there.
@Suite(.needsDatabase, .hangLimit)
struct ParameterTests {
    @Test(arguments: [
        (Method.get, "/notes?statuss=todo&limit=1&%0A=x", "", "statuss"), (.get, "/notes/1?page=2", "", "page"),
        (.get, "/notes?x=1&x=2&y=", "", "x, y"), (.post, "/notes?dry_run=true", #"{"title":"t"}"#, "dry_run"),
        (.patch, "/notes/1?force=1", #"{"title":"t"}"#, "force"), (.delete, "/notes/1?force=1", "", "force"),
        (.get, "/notes/count?since=1&until=2", "", "until"), (.get, "/notes/all?sincee=1", "", "sincee"),
    ])
    func `a parameter that is not read is named, or refused`(
        method: SwiftletHTTP.Method,
        target: String,
        body: String,
        names: String
    ) async throws {
        try await Office.with([notes], sql: schema) { office async throws in
            let prefer: [(Headers.Name, String)] = [("Prefer", "handling=strict")]
            let refused = try await office.ask(.ann, method, target, body, headers: prefer)
            #expect(refused.status == .badRequest)
            let first = names.split(separator: ",").first.map(String.init) ?? ""
            #expect(refused.json["details"]?[first] == "is unknown")
            #expect(try await office.ask(.ann, .get, "/notes").json["total"] == 1)
            let lenient = try await office.ask(.ann, method, target, body)
            #expect(lenient.status.rawValue < 300)
            #expect(lenient.headers[.xIgnoredParameters] == names)
            #expect(lenient.headers["Access-Control-Expose-Headers"]?.contains("x-ignored-parameters") == true)
        }
    }

    @Test(arguments: [
        "/notes?status=todo&limit=5&page=1&offset=0&sort=title&sortOrder=desc&search=a&tz=Europe/Berlin",
        "/notes?forceFunctionRegion=eu-central-1", "/notes/count?since=1", "/notes/all?status=todo&since=1",
        "/notes/silent?anything=1", "/notes",
    ])
    func `a parameter that is read is not named`(target: String) async throws {
        try await Office.with([notes], sql: schema) { office async throws in
            let answer = try await office.ask(.ann, .get, target, headers: [("Prefer", "handling=strict")])
            #expect(answer.status == .ok)
            #expect(answer.headers[.xIgnoredParameters] == nil)
        }
    }

    @Test func `who may not come hears nothing of parameters`() async throws {
        try await Office.with([notes], sql: schema) { office async throws in
            let answer = try await office.server.send(.get, "/notes?x=1", headers: [("Prefer", "handling=strict")])
            #expect(answer.status == .unauthorized)
        }
    }

    @Test func `a table that the database lacks is named, and an error in development`() async throws {
        try await Office.with([notes], sql: "") { office async throws in
            for target in ["/notes", "/notes?x=1"] {
                let list = try await office.ask(.ann, .get, target)
                #expect(list.json["total"] == 0)
                #expect(list.headers[.xMissingTables] == "notes")
                #expect(list.headers[.xIgnoredParameters] == nil)
            }
        }
        try await Office.with([notes], sql: "", configure: { $0.isDevelopment = true }) { office async throws in
            let list = try await office.ask(.ann, .get, "/notes")
            #expect(list.status == .internalServerError)
            #expect(list.json["code"] == "MISSING_TABLE")
            #expect(list.json["message"]?.string?.contains("notes") == true)
        }
    }

    @Test func `a server without its own tables is not ready`() async throws {
        let names = ["swiftlet.jobs", "auth.users"]
        try await Office.with([notes], sql: "", configure: { $0.requiredTables = names }) { office async throws in
            #expect(try await office.ask(.ann, .get, "/ready").status == .ok)
        }
        let sql = "DROP TABLE swiftlet.jobs"
        try await Office.with([notes], sql: sql, configure: { $0.requiredTables = names }) { office async throws in
            let answer = try await office.ask(.ann, .get, "/ready")
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.json["error"] == "The database lacks tables of the server: swiftlet migrate")
        }
    }
}

private let notes = Function("notes") {
    Get("/count") { _, _ in .success }.taking(query: ["since": .integer])
    Get("/all") { request, context in try await resource.list(request, in: context).response() }
        .taking(query: ["since": .integer]).listing(resource)
    Get("/silent") { _, _ in .success }
    resource.routes()
}

private let resource = Resource("notes", scope: .tenant) {
    Filter("status")
    Search("title")
}

private let schema = """
    CREATE TABLE notes (id serial PRIMARY KEY, tenant_id varchar NOT NULL, title varchar, status varchar);
    INSERT INTO notes (tenant_id, title, status) VALUES ('a', 'apple', 'todo');
    """
