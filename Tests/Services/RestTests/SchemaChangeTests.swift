import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletRest

/// A change of the schema is nobody's error: what was made a moment ago is there for the first request that names it.
@Suite(.needsDatabase, .hangLimit)
struct SchemaChangeTests {
    /// Without the event triggers nobody tells the server of a change, as where the migrating role is no superuser.
    @Test(arguments: [true, false])
    func `new tables, columns, functions and keys are found at once`(isTold: Bool) async throws {
        try await RestServer.with { rest in
            if !isTold {
                try rest.application.execute(
                    "DROP EVENT TRIGGER swiftlet_ddl_watch; DROP EVENT TRIGGER swiftlet_drop_watch"
                )
            }
            #expect(try await rest.send(.get, "clients?limit=1").status == .ok)
            try rest.application.execute("CREATE TABLE fresh (id int PRIMARY KEY); GRANT ALL ON fresh TO service_role")
            #expect(try await rest.send(.post, "fresh", #"{"id":1}"#).status == .created)
            try rest.application.execute("ALTER TABLE fresh ADD COLUMN note text")
            #expect(try await rest.send(.patch, "fresh?id=eq.1", #"{"note":"a"}"#).status == .noContent)
            #expect(try await rest.get("fresh?select=note") == [["note": "a"]])
            try rest.application.execute(
                "CREATE FUNCTION latest() RETURNS int LANGUAGE sql AS 'SELECT max(id) FROM fresh'"
            )
            #expect(try await rest.get("rpc/latest") == 1)
            try rest.application.execute(
                """
                CREATE TABLE leaves (id int PRIMARY KEY, fresh_id int REFERENCES fresh);
                GRANT ALL ON leaves TO service_role
                """
            )
            #expect(try await rest.get("fresh?select=id,leaves(id)") == [["id": 1, "leaves": []]])
        }
    }

    @Test func `what does not exist is looked for again once for all who ask`() async throws {
        try await RestServer.with { rest in
            try await withThrowingTaskGroup(of: Status.self) { group in
                for _ in 1...50 { group.addTask { try await rest.send(.get, "nowhere").status } }
                for try await status in group { #expect(status == .notFound) }
            }
        }
    }
}
