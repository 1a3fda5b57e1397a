import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import Swiftlet
import SwiftletTesting
import Testing

/// Rows that belong to a user, in a tenant or not.
@Suite(.needsDatabase, .hangLimit)
struct PersonalScopeTests {
    @Test func `everyone sees and changes their own rows only, in a tenant or not`() async throws {
        try await Diaries.with { diaries in
            let made = try await diaries.ask(.ann, .post, "/diaries", #"{"title":"July","user_id":"nora"}"#)
            #expect(made.status == .created)
            #expect(made.json["user_id"] == "ann")
            let id = made.json["id"]?.string ?? ""
            for stranger in [Diarist.nora, .annOfTenant("b", named: "abe")] {
                #expect(try await diaries.ask(stranger, .get, "/diaries").json["total"] == 0)
                for (method, body) in [
                    (SwiftletHTTP.Method.get, ""), (.patch, #"{"title":"x"}"#), (.put, #"{"title":"x"}"#),
                ] {
                    let answer = try await diaries.ask(stranger, method, "/diaries/\(id)", body)
                    #expect(answer.status == .notFound, "\(method)")
                }
                #expect(try await diaries.ask(stranger, .delete, "/diaries/\(id)").status == .ok)
                #expect(try await diaries.ask(stranger, .get, "/diaries/\(id)/pages").status == .notFound)
                let page = try await diaries.ask(stranger, .post, "/diaries/\(id)/pages", #"{"text":"x"}"#)
                #expect(page.status == .notFound)
            }
            #expect(try await diaries.ask(.ann, .get, "/diaries/\(id)").text == made.text)
            // The same person at work: rows of theirs know no tenant.
            #expect(try await diaries.ask(.annOfTenant("a"), .get, "/diaries/\(id)").text == made.text)
        }
    }

    @Test(arguments: ["user_id", "userId"])
    func `nobody gives a row away or takes one`(name: String) async throws {
        try await Diaries.with { diaries in
            let id = try await diaries.make(.ann)
            let patched = try await diaries.ask(.ann, .patch, "/diaries/\(id)", #"{"title":"y","\#(name)":"nora"}"#)
            #expect(patched.status == .ok)
            #expect(patched.json["user_id"] == "ann")
            #expect(try await diaries.ask(.nora, .get, "/diaries?\(name)=ann").json["total"] == 0)
            #expect(try await diaries.ask(.nora, .patch, "/diaries/bulk", #"{"title":"z"}"#).json["updated"] == 0)
            let taken = try await diaries.ask(.nora, .post, "/diaries", #"{"id":"\#(id)","title":"mine"}"#)
            #expect(taken.status == .conflict)
            #expect(try await diaries.ask(.ann, .get, "/diaries/\(id)").json["title"] == "y")
        }
    }

    @Test func `children, lines, joins and counts stay within the person`() async throws {
        try await Diaries.with { diaries in
            let (hers, theirs) = (try await diaries.make(.ann), try await diaries.make(.nora))
            _ = try await diaries.ask(.ann, .post, "/diaries/\(hers)/pages", #"{"text":"one"}"#)
            let page = try await diaries.ask(.ann, .post, "/loose", #"{"text":"x","diary_id":"\#(theirs)"}"#)
            #expect(page.status == .conflict)
            #expect(page.json["details"]?["diary_id"] != nil)
            // As if it had been written elsewhere: what refers to the row of another person does not show it.
            try diaries.server.execute(
                "INSERT INTO pages (user_id, diary_id, text) VALUES ('ann', '\(theirs)', 'strayed')"
            )
            #expect(try await diaries.ask(.nora, .get, "/diaries/\(theirs)").json["pages"] == 0)
            #expect(try await diaries.ask(.nora, .get, "/diaries/\(theirs)").json["longest"] == .null)
            #expect(try await diaries.ask(.ann, .get, "/diaries/\(hers)").json["pages"] == 1)
            let strayed = try await diaries.ask(.ann, .get, "/loose?text=strayed").json["data"]?[0]
            #expect(strayed?["text"] == "strayed")
            #expect(strayed?["diary"] == .null)
            #expect(try await diaries.ask(.ann, .get, "/loose?diary_title=july").json["total"] == 1)
            let body = #"{"title":"Lined","notes":[{"text":"a"},{"text":"b"}]}"#
            let lined = try await diaries.ask(.ann, .post, "/diaries", body)
            #expect(lined.status == .created)
            #expect(lined.json["notes"]?.array?.count == 2)
            #expect(try diaries.count("notes WHERE user_id = 'ann'") == 2)
        }
    }

    @Test func `a row whose key is the person's id is theirs alone`() async throws {
        try await Diaries.with { diaries in
            let made = try await diaries.ask(.ann, .post, "/settings", #"{"user_id":"nora","theme":"dark"}"#)
            #expect(made.status == .created)
            #expect(made.json["user_id"] == "ann")
            #expect(try await diaries.ask(.ann, .post, "/settings", #"{"theme":"light"}"#).status == .conflict)
            #expect(try await diaries.ask(.nora, .get, "/settings/ann").status == .notFound)
            #expect(try await diaries.ask(.nora, .patch, "/settings/ann", #"{"theme":"x"}"#).status == .notFound)
            #expect(try await diaries.ask(.ann, .get, "/settings/ann").json["theme"] == "dark")
        }
    }

    @Test func `who is no person is a 401: no token, the app's key, the service key, a token without sub`() async throws
    {
        try await Diaries.with { diaries in
            let id = try await diaries.make(.ann)
            for path in ["/diaries", "/diaries/\(id)", "/diaries/sum", "/readings"] {
                for stranger in [Diarist.nobody, .key("anon"), .key("service_role"), .withoutSubject] {
                    let answer = try await diaries.ask(stranger, .get, path)
                    #expect(
                        answer.status == .unauthorized,
                        "\(path) \(stranger.claims.map { JSONValue.object($0) } ?? .null)"
                    )
                }
            }
            for stranger in [Diarist.nobody, .key("anon"), .withoutSubject] {
                #expect(try await diaries.ask(stranger, .delete, "/diaries/\(id)").status == .unauthorized)
            }
            #expect(try diaries.count("diaries WHERE deleted_at IS NULL") == 1)
        }
    }

    @Test func `a statement written by hand must bind the person`() async throws {
        try await Diaries.with { diaries in
            _ = try await diaries.make(.ann)
            #expect(try await diaries.ask(.ann, .get, "/diaries/sum").json["count"] == 1)
            #expect(try await diaries.ask(.nora, .get, "/diaries/sum").json["count"] == 0)
            for path in ["/diaries/forgotten", "/diaries/text", "/diaries/tenant"] {
                // A tenant of the person's name is none of theirs.
                let answer = try await diaries.ask(.annOfTenant("ann"), .get, path)
                #expect(answer.status == .internalServerError, "\(path)")
                #expect(!answer.text.contains("July"))
            }
        }
    }

    @Test func `an id that the column cannot hold has no rows and makes none`() async throws {
        try await Diaries.with { diaries in
            #expect(try await diaries.ask(.ann, .get, "/walks").json["total"] == 0)
            let made = try await diaries.ask(.ann, .post, "/walks", #"{"steps":1}"#)
            #expect(made.status == .badRequest)
            #expect(made.json["code"] == "NO_USER")
        }
    }
}

/// Rows that belong to a device.
@Suite(.needsDatabase, .hangLimit)
struct DeviceScopeTests {
    private static let first = "11111111-1111-4111-8111-111111111111"
    private static let second = "22222222-2222-4222-8222-222222222222"

    @Test func `a device sees and changes its own rows only`() async throws {
        try await Diaries.with { diaries in
            let (own, other) = (Diarist.device(Self.first), Diarist.device(Self.second))
            let made = try await diaries.ask(own, .post, "/readings", #"{"value":7,"deviceId":"\#(Self.second)"}"#)
            #expect(made.status == .created)
            #expect(made.json["device_id"]?.string == Self.first)
            let id = made.json["id"]?.string ?? ""
            #expect(try await diaries.ask(other, .get, "/readings").json["total"] == 0)
            for (method, body) in [(SwiftletHTTP.Method.get, ""), (.patch, #"{"value":1}"#), (.put, #"{"value":1}"#)] {
                #expect(try await diaries.ask(other, method, "/readings/\(id)", body).status == .notFound, "\(method)")
            }
            #expect(try await diaries.ask(other, .delete, "/readings/\(id)").status == .ok)
            #expect(try await diaries.ask(own, .get, "/readings/\(id)").text == made.text)
        }
    }

    @Test func `only a device's own session has a device`() async throws {
        try await Diaries.with { diaries in
            let claimed: JSONObject = ["sub": "ann", "app_metadata": ["device_id": .string(Self.first)]]
            let written: JSONObject = [
                "sub": .string(Self.first), "user_metadata": ["device_id": .string(Self.first)],
            ]
            let odd: JSONObject = ["sub": .string(Self.first), "app_metadata": ["device_id": 1]]
            for claims in [claimed, written, odd, ["sub": .string(Self.first)]] {
                for path in ["/readings", "/readings/mean"] {
                    let answer = try await diaries.ask(Diarist(claims: claims), .get, path)
                    #expect(answer.status == .forbidden, "\(path) \(claims)")
                    #expect(answer.json["code"] == "NO_DEVICE", "\(path) \(claims)")
                }
            }
            #expect(try await diaries.ask(.device(Self.first), .get, "/readings/mean").status == .ok)
            #expect(try await diaries.ask(.device(Self.first), .get, "/readings/person").status == .internalServerError)
        }
    }
}

/// An application with rows of people and of devices.
private struct Diaries {
    let server: TestApplication

    static func with(_ body: (Diaries) async throws -> Void) async throws {
        let functions = [diaries, loose, settings, walks, readings]
        try await TestApplication.with(functions, sql: schema) { try await body(Diaries(server: $0)) }
    }

    func ask(
        _ diarist: Diarist,
        _ method: SwiftletHTTP.Method,
        _ target: String,
        _ body: String = ""
    ) async throws -> Office.Answer {
        let token = try diarist.claims.map { try TestApplication.token(claims: $0) }
        let response = try await server.send(method, target, token: token, body)
        return Office.Answer(
            status: response.status,
            json: try JSONParser.parse(response.body),
            text: response.text,
            ignoredFields: response.headers[.xIgnoredFields]
        )
    }

    func make(_ diarist: Diarist) async throws -> String {
        try await ask(diarist, .post, "/diaries", #"{"title":"July"}"#).json["id"]?.string ?? ""
    }

    func count(_ rest: String) throws -> Int {
        let rows = try BlockingConnection.connect(to: server.databaseURL).query("SELECT count(*) FROM \(rest)")
        return rows.first?[0].flatMap { Int($0) } ?? -1
    }

    private static let schema = """
        CREATE TABLE diaries (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id text NOT NULL, title text NOT NULL,
            created_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz
        );
        CREATE TABLE pages (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id text NOT NULL, text text NOT NULL,
            diary_id uuid REFERENCES diaries (id)
        );
        CREATE TABLE notes (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id text NOT NULL, text text NOT NULL,
            diary_id uuid REFERENCES diaries (id)
        );
        CREATE TABLE settings (user_id text PRIMARY KEY, theme text);
        CREATE TABLE walks (id uuid PRIMARY KEY, user_id uuid NOT NULL, steps integer);
        CREATE TABLE readings (id uuid PRIMARY KEY, device_id uuid NOT NULL, value integer);
        """
}

/// Who asks: nobody without claims.
private struct Diarist: Sendable {
    var claims: JSONObject?

    static let ann = Diarist(claims: ["sub": "ann"])
    static let nora = Diarist(claims: ["sub": "nora"])
    static let nobody = Diarist(claims: nil)
    static let withoutSubject = Diarist(claims: ["role": "authenticated"])

    static func annOfTenant(_ tenant: String, named name: String = "ann") -> Diarist {
        Diarist(claims: ["sub": .string(name), "app_metadata": ["tenant_id": .string(tenant), "role_level": 8]])
    }

    static func key(_ role: String) -> Diarist { Diarist(claims: ["role": .string(role), "iss": "supabase"]) }

    static func device(_ id: String) -> Diarist {
        Diarist(claims: ["sub": .string(id), "app_metadata": ["device_id": .string(id)]])
    }
}

private let diaryRows = Resource("diaries", scope: .user) {
    Filter("user_id")
    Counted("pages", in: "pages", by: "diary_id")
    Computed("longest", from: "pages", "max(length(o.text))", where: "o.diary_id = t.id")
    Lines("notes", in: "notes", by: "diary_id")
    SoftDelete()
}

private let diaries = Function("diaries") {
    diaryRows.routes()
    Resource("pages", scope: .user) { ChildOf(diaryRows, by: "diary_id") }.routes(at: "/:id/pages")
    Patch("/bulk") { request, context in
        let ids = try await diaryRows.list(request, in: context)
        let all = try await context.personalDatabase.query(
            "SELECT id::text AS id FROM diaries WHERE \(context.person)::text IS NOT NULL"
        )
        _ = ids
        let updated = try await diaryRows.updateMany(all.compactMap { $0["id"] }, request.jsonObject(), in: context)
        return Response.json(["updated": JSONValue(updated.count)])
    }
    .forPersons()
    Get("/sum") { _, context in
        let rows = try await context.personalDatabase.query(
            "SELECT count(*) AS count FROM diaries WHERE user_id = \(context.person)"
        )
        return Response.json(.object(try rows[0].json()))
    }
    .forPersons()
    Get("/forgotten") { _, context in
        Response.json(.object(try await context.personalDatabase.query("SELECT title FROM diaries LIMIT 1")[0].json()))
    }
    .forPersons()
    // A text that happens to be the person's id scopes nothing.
    Get("/text") { _, context in
        let rows = try await context.personalDatabase.query(
            "SELECT title FROM diaries WHERE user_id <> \(try context.user.id + "x")"
        )
        return Response.json(.object(try rows[0].json()))
    }
    .forPersons()
    Get("/tenant") { _, context in
        let rows = try await context.personalDatabase.query(
            "SELECT title FROM diaries WHERE \(context.tenant)::text IS NOT NULL"
        )
        return Response.json(.object(try rows[0].json()))
    }
    .forPersons()
}

private let loose = Function("loose") {
    Resource("pages", scope: .user) {
        Filter("text")
        Filter("diary_title", on: "title", of: "diaries", by: "diary_id")
        Joined("diary", from: "diaries", column: "title", by: "diary_id")
    }
    .routes()
}

private let settings = Function("settings") { Resource("settings", scope: .user).routes() }

private let walks = Function("walks") { Resource("walks", scope: .user).routes() }

private let readings = Function("readings") {
    Resource("readings", scope: .device).routes()
    Get("/mean") { _, context in
        let rows = try await context.deviceDatabase.query(
            "SELECT avg(value)::float8 AS mean FROM readings WHERE device_id = \(context.device)::uuid"
        )
        return Response.json(.object(try rows[0].json()))
    }
    .forPersons()
    Get("/person") { _, context in
        let rows = try await context.deviceDatabase.query("SELECT \(context.person)::text AS id")
        return Response.json(.object(try rows[0].json()))
    }
    .forPersons()
}
