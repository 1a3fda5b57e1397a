import Foundation
import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// The role that docker-compose.yml's server connects as.
@Suite(.needsDatabase, .hangLimit)
struct ComposeRoleTests {
    @Test func `is no superuser, and yet all migrations and requests work`() throws {
        let url = try TestDatabase.createEmpty()
        let administrator = try BlockingConnection.connect(to: url)
        let name = "compose_\(UUID().uuidString.prefix(8).lowercased())"
        let database = try #require(administrator.query("SELECT current_database()").first?.first ?? nil)
        let script = try String(contentsOf: Repository.root.appending(path: ".docker/role.sql"), encoding: .utf8)
            .replacing(":\"role\"", with: "\"\(name)\"")
            .replacing(":\"database\"", with: "\"\(database)\"")
            .replacing(":'password'", with: "'it''s secret'")
        #expect(!script.contains(":\"") && !script.contains(":'"))
        try administrator.execute(script)
        defer {
            try? administrator.execute(
                """
                DROP EVENT TRIGGER swiftlet_ddl_watch; DROP EVENT TRIGGER swiftlet_drop_watch;
                DROP OWNED BY \(name) CASCADE; ALTER DATABASE "\(database)" OWNER TO CURRENT_USER; DROP ROLE \(name)
                """
            )
        }
        let own = "\(url)\(url.contains("?") ? "&" : "?")options=-c%20role%3D\(name)"
        let applied = try Migrator(url: own, files: TestDatabase.files()).apply()
        #expect(applied.count == (try TestDatabase.files().count))
        let rights = try administrator.query(
            "SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls FROM pg_roles WHERE rolname = $1",
            [name]
        )
        #expect(rights == [["f", "f", "f", "f"]])
        // docker-compose.yml names the role swiftlet, like the schema of the server's own tables.
        let settings = try administrator.query(
            "SELECT setconfig FROM pg_db_role_setting WHERE setrole = $1::regrole::oid",
            [name]
        )
        #expect(settings == [["{search_path=public}"]])
        #expect(
            try administrator.query("SELECT rolbypassrls FROM pg_roles WHERE rolname = 'service_role'") == [["t"]]
        )
        #expect(
            try administrator.query("SELECT evtname FROM pg_event_trigger WHERE evtname LIKE 'swiftlet%' ORDER BY 1")
                == [["swiftlet_ddl_watch"], ["swiftlet_drop_watch"]]
        )

        let server = try BlockingConnection.connect(to: own)
        try server.execute("CREATE TABLE made_by_role (id int); DROP TABLE made_by_role")
        for role in ["anon", "authenticated", "service_role"] {
            try server.execute("SET ROLE \(role)")
            #expect(try server.query("SELECT current_user") == [[role]])
            try server.execute("SET ROLE \(name)")
        }
        #expect(try server.refuses("COPY (SELECT 1) TO PROGRAM 'true'"))
        #expect(try server.refuses("CREATE ROLE \(name)_other"))
    }
}
