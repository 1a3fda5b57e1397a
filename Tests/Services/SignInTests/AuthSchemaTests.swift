import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct AuthSchemaTests {
    @Test func `knows the tables that the migrations make`() async throws {
        let application = try await TestApplication.start([])
        let schema = AuthSchema(application.database)
        let tables = try await schema.tables()
        #expect(tables.has("users", "is_anonymous"))
        #expect(tables.has("identities", "provider_id"))
        #expect(tables["mfa_amr_claims"].count == 5)
        #expect(tables["login_attempts"] == [], "it is not in the schema auth")
        await application.stop()
    }

    @Test(arguments: GoTrueDatabase.Age.allCases)
    func `looks at a database that GoTrue has made`(age: GoTrueDatabase.Age) async throws {
        let database = try GoTrueDatabase.create(age)
        try database.migrate()
        let application = try await TestApplication.start([], databaseURL: database.url)
        let tables = try await AuthSchema(application.database).tables()
        let isNew = age == .newest
        #expect(tables.has("users", "encrypted_password"))
        #expect(tables.has("identities", "id"))
        for (table, column) in [
            ("users", "is_anonymous"), ("users", "is_sso_user"), ("users", "deleted_at"),
            ("identities", "provider_id"), ("sessions", "refresh_token_counter"), ("sessions", "user_agent"),
            ("one_time_tokens", "token_hash"), ("flow_state", "auth_code"),
        ] {
            #expect(tables.has(table, column) == isNew, "\(table).\(column)")
        }
        await application.stop()
    }

    @Test func `counts the table of challenges only where it may be used`() async throws {
        let database = try GoTrueDatabase.create(.newest)
        try database.migrate()
        let application = try await TestApplication.start([], databaseURL: database.url)
        let schema = AuthSchema(application.database)
        #expect(try await schema.tables().has("flow_state", "auth_code_issued_at"))
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        for privilege in ["SELECT", "INSERT", "UPDATE", "DELETE"] {
            try administrator.execute("REVOKE \(privilege) ON auth.flow_state FROM swiftlet_test_server")
            let tables = try await schema.reload()
            #expect(tables["flow_state"] == [], "\(privilege)")
            #expect(tables.has("one_time_tokens", "token_hash"), "\(privilege)")
            try administrator.execute("GRANT \(privilege) ON auth.flow_state TO swiftlet_test_server")
        }
        await application.stop()
    }

    @Test func `does without the table of challenges once it is closed`() async throws {
        let database = try GoTrueDatabase.create(.newest)
        try database.migrate()
        try await SignInServer.start(databaseURL: database.url).use { server in
            let token = try await server.signUp("ada@example.org").text("access_token")
            try BlockingConnection.connect(to: database.administratorURL)
                .execute("REVOKE ALL ON auth.flow_state FROM swiftlet_test_server")
            let change = try await server.auth(.put, "/user", ["password": "another horse"], token: token)
            #expect(change.status == 200, "\(change.json)")
        }
    }

    @Test func `does without the table of challenges where policies hide its rows`() async throws {
        let database = try GoTrueDatabase.create(.newest)
        try database.migrate()
        // Unlike the server's role, the owner does not bypass policies that are forced.
        let application = try await TestApplication.start([], databaseURL: database.ownerURL)
        let schema = AuthSchema(application.database)
        #expect(try await schema.tables().has("flow_state", "auth_code_issued_at"))
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        try administrator.execute("ALTER TABLE auth.flow_state ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        #expect(try await schema.reload()["flow_state"] == [])
        await application.stop()
    }

    @Test func `does without a table of challenges that is too old`() {
        for (columns, isUsable) in [
            (["auth_code_issued_at", "authentication_method"], true), (["auth_code_issued_at"], false),
            (["authentication_method"], false),
        ] {
            let tables = AuthTables(columns: ["flow_state": Set(columns)])
            #expect(AccountTables(tables, Schema.empty).hasFlowStates == isUsable)
        }
    }

    @Test func `looks again when the server has read its schema`() async throws {
        // Without the triggers that tell servers of every change.
        let silent = "DROP EVENT TRIGGER IF EXISTS swiftlet_ddl_watch; DROP EVENT TRIGGER IF EXISTS swiftlet_drop_watch"
        let application = try await TestApplication.start([], sql: silent)
        let schema = AuthSchema(application.database)
        try application.execute("ALTER TABLE auth.flow_state RENAME TO hidden")
        #expect(try await schema.tables()["flow_state"] == [])
        try application.execute("ALTER TABLE auth.hidden RENAME TO flow_state")
        #expect(try await schema.tables()["flow_state"] == [], "nothing has told it")
        try await application.database.reloadSchema()
        #expect(try await schema.tables().has("flow_state", "auth_code"))
        await application.stop()
    }

    @Test func `looks again when a column is missed, and tries once more`() async throws {
        let application = try await TestApplication.start([])
        let schema = AuthSchema(application.database)
        _ = try await schema.tables()
        try application.execute("ALTER TABLE auth.users DROP COLUMN is_anonymous")
        var seen: [Bool] = []
        let count = try await schema.withTables { tables in
            seen.append(tables.has("users", "is_anonymous"))
            return try await tables.has("users", "is_anonymous")
                ? application.database.query("SELECT is_anonymous FROM auth.users").count
                : application.database.query("SELECT id FROM auth.users").count
        }
        #expect(count == 0)
        #expect(seen == [true, false])
        // What no reading can cure is not tried again.
        seen = []
        await #expect(throws: PostgresError.self) {
            _ = try await schema.withTables { _ in
                seen.append(true)
                return try await application.database.query("SELECT nonsense FROM auth.users")
            }
        }
        #expect(seen == [true])
        await application.stop()
    }
}
