import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletRest

/// `/rest/v1` on a standby that really follows, and is held up.
@Suite(.needsDatabase, .hangLimit)
struct ReplicaTests {
    private static let schema = """
        CREATE ROLE anon NOLOGIN; CREATE ROLE authenticated NOLOGIN; CREATE ROLE service_role NOLOGIN BYPASSRLS;
        CREATE TABLE notes (
            id integer PRIMARY KEY, owner uuid NOT NULL DEFAULT (current_setting('request.jwt.claims')::json ->> 'sub')::uuid
        );
        ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON notes USING (owner::text = current_setting('request.jwt.claims')::json ->> 'sub');
        CREATE VIEW places WITH (security_invoker = on) AS SELECT id, pg_is_in_recovery() AS standby FROM notes;
        CREATE FUNCTION place() RETURNS boolean STABLE LANGUAGE sql AS 'SELECT pg_is_in_recovery()';
        GRANT ALL ON notes, places TO authenticated
        """

    private struct App {
        let server: TestApplication
        let user: String
        var position = "new"

        mutating func send(_ method: SwiftletHTTP.Method, _ path: String, _ body: String = "") async throws -> String {
            let response = try await server.send(
                method,
                "/rest/v1/\(path)",
                token: try RestServer.token(user),
                body,
                headers: [("X-Swiftlet-Position", position), (.contentType, "application/json")]
            )
            if let told = response.headers["X-Swiftlet-Position"] { position = told }
            return response.text
        }
    }

    @Test func `a standby shows its rows to who may see them, and none that is older than one's own write`()
        async throws
    {
        try await TestReplication.with { replication in
            try BlockingConnection.connect(to: replication.primaryURL).execute(Self.schema)
            let server = try await TestApplication.start(
                databaseURL: replication.primaryURL,
                replicaURLs: [replication.standbyURL]
            ) { parts in
                let authentication = Authentication(verifier: parts.verifier)
                return [
                    RestAPI(database: parts.database, authentication: authentication, settings: RestSettings()).function
                ]
            }
            let outcome = await Result { try await play(replication, server) }
            await server.stop()
            try outcome.get()
        }
    }

    private func play(_ replication: TestReplication, _ server: TestApplication) async throws {
        let replicas = try #require(server.replicas)
        var (ada, bob) = (App(server: server, user: RestServer.ada), App(server: server, user: RestServer.bob))
        #expect(try await ada.send(.post, "notes", #"{"id":1}"#) == "")
        #expect(try await bob.send(.post, "notes", #"{"id":2}"#) == "")
        try await replication.catchUp()
        await replicas.ask()
        #expect(try await ada.send(.get, "places") == #"[{"id":1,"standby":true}]"#)
        #expect(try await bob.send(.get, "places") == #"[{"id":2,"standby":true}]"#)
        // A function may do more than it says.
        #expect(try await bob.send(.get, "rpc/place") == "false")

        try await replication.pause()
        for id in 3...6 {
            #expect(try await ada.send(.post, "notes", #"{"id":\#(id)}"#) == "")
            await replicas.ask()
            let ids = ([1] + (3...id)).map { #"{"id":\#($0),"standby":false}"# }.joined(separator: ",")
            #expect(try await ada.send(.get, "places?order=id") == "[\(ids)]".replacing("},{", with: "}, \n {"))
        }
        // Who has written nothing meanwhile reads what the standby has.
        #expect(try await bob.send(.get, "places") == #"[{"id":2,"standby":true}]"#)
        try await replication.resume()
        try await replication.catchUp()
        await replicas.ask()
        #expect(try await ada.send(.get, "places?id=eq.6") == #"[{"id":6,"standby":true}]"#)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
