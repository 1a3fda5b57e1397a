import Swiftlet
import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

/// A child is stored only under a parent that is there when it is stored, whatever others do meanwhile and whether or not
/// a foreign key sees to it.
@Suite(.needsDatabase, .hangLimit)
struct ConcurrentParentTests {
    private static let parents = Resource("albums", scope: .tenant)
    private static let functions = [
        Function("albums") {
            parents.routes()
            Resource("songs", scope: .tenant) { ChildOf(parents, by: "album_id") }.routes(.create, at: "/:id/songs")
            Resource("plays", scope: .tenant) {
                ChildOf(parents, by: "album_id", .count("plays"))
                Joined("album", from: "albums", column: "title", by: "album_id")
            }
            .routes(.create, at: "/:id/plays")
            Resource("reviews", scope: .tenant) { ChildOf(parents, by: "album_id") }.routes(.create, at: "/:id/reviews")
            Resource("covers", scope: .tenant) { ChildOf(parents, by: "album_id", .count("plays")) }
                .routes(.create, at: "/:id/covers")
        }
    ]
    private static let sql = """
        CREATE TABLE albums (id text PRIMARY KEY, tenant_id text, title text, plays integer);
        CREATE TABLE songs (id text PRIMARY KEY, tenant_id text, album_id text);
        CREATE TABLE plays (id text PRIMARY KEY, tenant_id text, album_id text);
        CREATE UNIQUE INDEX ON albums (tenant_id, id);
        CREATE TABLE reviews (id text PRIMARY KEY, tenant_id text, album_id text,
            FOREIGN KEY (tenant_id, album_id) REFERENCES albums (tenant_id, id));
        CREATE TABLE covers (id text PRIMARY KEY, tenant_id text, album_id text,
            FOREIGN KEY (tenant_id, album_id) REFERENCES albums (tenant_id, id) DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO albums VALUES ('1', 'a', 'One', 0)
        """

    @Test(arguments: ["songs", "plays", "reviews", "covers"])
    func `a parent that is deleted meanwhile gets no child`(children: String) async throws {
        try await TestApplication.with(Self.functions, sql: Self.sql) { server in
            let caller = TestCaller(server: server, token: try TestApplication.token(tenant: "a", user: "ann"))
            let other = try BlockingConnection.connect(to: server.databaseURL)
            try other.execute("BEGIN; DELETE FROM albums WHERE id = '1'")
            async let answer = caller.send(.post, "/albums/1/\(children)", "{}")
            let watcher = try BlockingConnection.connect(to: server.databaseURL)
            let waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            #expect(try await eventually { try watcher.query(waits).count == 1 })
            try other.execute("COMMIT")
            #expect(try await answer.status == .notFound)
            #expect(try server.count(children) == 0)
        }
    }

    @Test func `a child comes with what is read of other tables, and is counted`() async throws {
        try await TestApplication.with(Self.functions, sql: Self.sql) { server in
            let caller = TestCaller(server: server, token: try TestApplication.token(tenant: "a", user: "ann"))
            let play = try await caller.json(.post, "/albums/1/plays", "{}")
            #expect(play["album"] == "One")
            #expect(try await caller.send(.post, "/albums/2/plays", "{}").status == .notFound)
            let stranger = TestCaller(server: server, token: try TestApplication.token(tenant: "b", user: "bob"))
            #expect(try await stranger.send(.post, "/albums/1/plays", "{}").status == .notFound)
            #expect(try server.count("plays") == 1)
            #expect(try server.count("albums WHERE plays = 1") == 1)
        }
    }

    /// The database has refused it, but the answer is the same.
    @Test(arguments: ["reviews", "covers"])
    func `a foreign key's refusal is a missing parent`(children: String) async throws {
        try await TestApplication.with(Self.functions, sql: Self.sql) { server in
            let caller = TestCaller(server: server, token: try TestApplication.token(tenant: "a", user: "ann"))
            #expect(try await caller.send(.post, "/albums/1/\(children)", "{}").status == .created)
            #expect(try await caller.send(.post, "/albums/2/\(children)", "{}").status == .notFound)
            let stranger = TestCaller(server: server, token: try TestApplication.token(tenant: "b", user: "bob"))
            #expect(try await stranger.send(.post, "/albums/1/\(children)", "{}").status == .notFound)
            #expect(try server.count(children) == 1)
        }
    }

    /// The statement that fails without a parent fails for other reasons, too.
    @Test func `a trigger that divides by zero is no missing parent`() async throws {
        let trigger = """
            ; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM 1 / 0; RETURN NEW; END';
            CREATE TRIGGER fail BEFORE INSERT ON songs FOR EACH ROW EXECUTE FUNCTION fail()
            """
        try await TestApplication.with(Self.functions, sql: Self.sql + trigger) { server in
            let caller = TestCaller(server: server, token: try TestApplication.token(tenant: "a", user: "ann"))
            #expect(try await caller.send(.post, "/albums/1/songs", "{}").status != .notFound)
            #expect(try await caller.send(.post, "/albums/2/songs", "{}").status == .notFound)
        }
    }
}
