import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb
import SwiftletTesting
import Testing

/// The tenant of users whose token names none.
@Suite(.needsDatabase, .hangLimit)
struct MembershipTests {
    /// Tells whom it sees, and asks the database nothing.
    private static let whoami = Function("whoami") {
        Get("/") { _, context in
            let user = try context.user
            let answer: JSONValue = [
                "tenant": .string(try context.tenant.rawValue), "level": .number(JSONNumber(user.roleLevel)),
                "platform": .bool(user.isPlatformUser),
            ]
            return .json(.ok, answer)
        }
        Get("/high") { _, _ in Response() }.requiring(level: 4)
    }

    private static let people = """
        INSERT INTO tenants (id, name, slug) VALUES ('t1', 'One', 'one'), ('t2', 'Two', 'two');
        INSERT INTO roles (id, name, code, department, level) VALUES ('r5', 'Director', 'DIR', 'x', 5),
            ('r8', 'Root', 'ROOT', 'x', 8);
        INSERT INTO users (id, tenant_id, email, role_id, is_active) VALUES
            ('ada', 't1', 'ada@example.com', 'r5', true), ('bob', 't2', 'bob@example.com', NULL, NULL),
            ('off', 't1', 'off@example.com', 'r5', false), ('root', 't1', 'root@example.com', 'r8', true),
            ('none', NULL, 'none@example.com', 'r5', true);
        """

    private func with(
        _ sql: String = people,
        databaseURL: String? = nil,
        _ body: (TestApplication) async throws -> Void
    ) async throws {
        try await TestApplication.with([Self.whoami], sql: sql, databaseURL: databaseURL, body)
    }

    private func token(_ user: String, _ more: String = "") throws -> String {
        let payload = #"{"sub":\#(JSONValue.string(user)),"role":"authenticated","exp":99999999999\#(more)}"#
        return try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
    }

    private func ask(_ application: TestApplication, _ user: String, _ more: String = "") async throws -> String {
        try await application.send(.get, "/whoami", token: token(user, more)).text
    }

    private func expect(
        _ answer: String,
        _ application: TestApplication,
        _ user: String,
        _ more: String = ""
    ) async throws {
        let given = try await ask(application, user, more)
        #expect(given == answer)
    }

    @Test func `is that of the user's row, with its role's level`() async throws {
        try await with { application in
            try await expect(#"{"tenant":"t1","level":5,"platform":false}"#, application, "ada")
            try await expect(#"{"tenant":"t2","level":1,"platform":false}"#, application, "bob")
            try await expect(#"{"tenant":"t1","level":8,"platform":true}"#, application, "root")
            // The token's own level counts.
            let low = #","app_metadata":{"role_level":2}"#
            try await expect(#"{"tenant":"t1","level":2,"platform":false}"#, application, "ada", low)
            #expect(try await application.send(.get, "/whoami/high", token: token("ada")).status == .ok)
            #expect(try await application.send(.get, "/whoami/high", token: token("bob")).status == .forbidden)
        }
    }

    @Test(arguments: ["off", "none", "stranger", "ada@example.com", "ADA", "' OR true --", "\u{0}", "ä\u{1F600}"])
    func `is nobody's for`(user: String) async throws {
        try await with { application in
            let more = #","email":"ada@example.com""#
            for _ in 0..<2 {
                let response = try await application.send(.get, "/whoami", token: token(user, more))
                #expect(response.status == .badRequest)
                #expect(response.text.contains("No tenant ID found"))
            }
        }
    }

    /// The server accepts requests before it has read the catalog.
    @Test(arguments: [("off", "No tenant ID found"), ("ada", #""level":5"#)])
    func `is decided by the whole row from the first request on`(user: String, answer: String) async throws {
        try await TestApplication.with([Self.whoami], sql: Self.people, isCold: true) { application in
            let given = try await ask(application, user)
            #expect(given.contains(answer))
        }
    }

    @Test func `costs one question a minute`() async throws {
        try await with { application in
            #expect(try await ask(application, "ada").contains("t1"))
            try application.execute("UPDATE users SET tenant_id = 't2' WHERE id = 'ada'")
            #expect(try await ask(application, "ada").contains("t1"))
        }
    }

    @Test func `costs nothing for a token with a tenant, even when the database is away`() async throws {
        try await with { application in
            await application.database.shutdown()
            let more = #","app_metadata":{"tenant_id":"t7"}"#
            try await expect(#"{"tenant":"t7","level":1,"platform":false}"#, application, "ada", more)
            let without = try await application.send(.get, "/whoami", token: token("ada"))
            #expect(without.status == .serviceUnavailable)
        }
    }

    @Test(arguments: [
        "", "CREATE TABLE users (id text PRIMARY KEY)", "CREATE TABLE users (name text, tenant_id text)",
        "CREATE VIEW users AS SELECT 1 AS id, 't1'::text AS tenant_id",
        "CREATE TABLE users (id bigint PRIMARY KEY, tenant_id text)",
        "CREATE TABLE users (id uuid PRIMARY KEY, tenant_id uuid)",
        "CREATE TABLE users (id date PRIMARY KEY, tenant_id uuid)",
    ])
    func `survives another table of users, or none`(sql: String) async throws {
        try await with(sql, databaseURL: TestDatabase.createEmpty()) { application in
            for user in ["ada", "99999999999999999999999", "x'y"] {
                let response = try await application.send(.get, "/whoami", token: token(user))
                #expect(response.status == .badRequest)
                #expect(response.text.contains("NO_TENANT"))
            }
        }
    }

    @Test func `is found by any type of id, and without roles`() async throws {
        let id = "6f1a3c52-5b0e-4b57-9a51-0d3c5f2c9b11"
        let uuids = """
            CREATE TABLE users (id uuid PRIMARY KEY, tenant_id uuid, role_id uuid);
            INSERT INTO users VALUES ('\(id)', '\(id)', NULL)
            """
        try await with(uuids, databaseURL: TestDatabase.createEmpty()) { application in
            try await expect(#"{"tenant":"\#(id)","level":1,"platform":false}"#, application, id)
            #expect(try await ask(application, id.uppercased()).contains(id))
        }
        let numbers = """
            CREATE TABLE users (id bigint PRIMARY KEY, tenant_id integer, role_id integer);
            CREATE TABLE roles (id integer PRIMARY KEY, level smallint);
            INSERT INTO roles VALUES (1, 3);
            INSERT INTO users VALUES (7, 42, 1)
            """
        try await with(numbers, databaseURL: TestDatabase.createEmpty()) { application in
            try await expect(#"{"tenant":"42","level":3,"platform":false}"#, application, "7")
        }
    }
}
