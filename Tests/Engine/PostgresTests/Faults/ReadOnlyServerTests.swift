import SwiftletEmbeddedPostgres
import SwiftletEventLoop
import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

/// A server that takes no more changes on the sessions that it has.
@Suite(.needsDatabase, .serialized, .hangLimit)
struct ReadOnlyServerTests {
    private static let items = """
        CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL);
        INSERT INTO items SELECT n, 'item ' || n FROM generate_series(1, 100) AS n;
        """
    private static let byID = Statement("SELECT name FROM items WHERE id = $1", isReadOnly: true)

    @Test func `a server that takes no more writes is left for one that does`() async throws {
        let folders = ["first", "second"].map { "/tmp/swiftlet-\($0)-\(UUID().uuidString.prefix(8))" }
        let first = try PostgresCluster.start(in: folders[0], lifetime: .throwAway)
        defer { first.stop() }
        let second = try PostgresCluster.start(in: folders[1], lifetime: .throwAway)
        defer { second.stop() }
        for cluster in [first, second] {
            try BlockingConnection.connect(to: cluster.url()).execute("CREATE TABLE written (round int)")
        }
        let hosts = "\(first.socketFolder),\(second.socketFolder)"
        let url = "host=\(hosts) user=postgres dbname=postgres target_session_attrs=read-write"
        try await TestPool.with(url: url) { pool async throws in
            let database = pool.database
            let read = Statement("SELECT count(*) FROM written", isReadOnly: true)
            try await database.query("INSERT INTO written VALUES (1)")
            let fence = try BlockingConnection.connect(to: first.url())
            try fence.execute("ALTER SYSTEM SET default_transaction_read_only = on")
            try fence.execute("SELECT pg_reload_conf()")
            var inARow = 0
            let isLeft = try await eventually(within: .seconds(60)) {
                _ = try await database.query(read, .none)
                inARow = (try? await database.query("INSERT INTO written VALUES (2)")) == nil ? 0 : inARow + 1
                return inARow == 50
            }
            #expect(isLeft)
            let count = try BlockingConnection.connect(to: second.url()).query("SELECT count(*) >= 50 FROM written")
            #expect(count == [["t"]])
        }
    }

    @Test func `where nothing may be written, reads are served and few connections are given up`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let database = pool.database
            let name = try #require(try pool.administer("SELECT quote_ident(current_database())")[0][0])
            let other = try BlockingConnection.connect(to: TestDatabase.createEmpty())
            try other.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            #expect(try await eventually { await database.statistics()[0].connectionsUp == 6 })
            try pool.administer(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """
            )
            #expect(try await eventually { await database.statistics()[0].totalConnectionsLost == 6 })
            #expect(try await eventually { await database.statistics()[0].connectionsUp == 6 })
            let before = await database.statistics()[0].totalConnectionsLost
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .milliseconds(1500) {
                let error = try await #require(throws: PostgresError.self) {
                    try await database.query("UPDATE items SET name = 'new' WHERE id = 1")
                }
                #expect(error.state == .readOnlyTransaction)
                #expect(try await database.query(Self.byID, .numbers(2)).text(0, 0) == "item 2")
            }
            let lost = await database.statistics()[0].totalConnectionsLost - before
            // One a second.
            #expect(lost >= 1)
            #expect(lost <= 1 + (ContinuousClock.now - start).components.seconds)
            try other.execute("ALTER DATABASE \(name) RESET ALL")
            let isWritten = try await eventually {
                (try? await database.query("UPDATE items SET name = 'new' WHERE id = 1")) != nil
            }
            #expect(isWritten)
        }
    }
}
