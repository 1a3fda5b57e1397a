import Foundation
import SwiftletEmbeddedPostgres
import SwiftletPostgres

/// A PostgreSQL of its own with a standby that follows it: for what depends on how far that is.
package final class TestReplication: Sendable {
    private let primary: PostgresCluster
    private let standby: PostgresCluster

    package var primaryURL: String { primary.url() }
    package var standbyURL: String { standby.url() }

    /// Another database, and the standby's copy of it.
    package func urls(of database: String) -> (primary: String, standby: String) {
        (primary.url(database: database), standby.url(database: database))
    }

    /// Whichever takes writes.
    package var eitherURL: String {
        let standby = standby.url()
        let host = standby.firstMatch(of: #/host=([^&]*)/#)?.1 ?? ""
        return primary.url().replacing("&user=", with: ",\(host)&target_session_attrs=read-write&user=")
    }

    /// Runs `body` with both, and stops them. `settings` are more of both servers.
    package static func with(
        settings: [String: String] = [:],
        _ body: (TestReplication) async throws -> Void
    ) async throws {
        let replication = try await Self.onThread { try TestReplication(settings) }
        do {
            try await body(replication)
        } catch {
            await blocking { replication.stop() }
            throw error
        }
        await blocking { replication.stop() }
    }

    /// What waits for a server would else hold up the threads of the tests' pool.
    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await blocking { Result { try body() } }.get()
    }

    /// Asks again until the answer is that one.
    private static func wait(
        on connection: borrowing BlockingConnection,
        _ query: String,
        for answer: String
    ) throws {
        let stopwatch = Stopwatch()
        while try connection.query(query).first?[0] != answer {
            guard stopwatch.elapsed < .seconds(60) else {
                throw Tool.Failure(description: "in a minute this has not become \(answer): \(query)")
            }
            try connection.execute("SELECT pg_sleep(0.005)")
        }
    }

    private init(_ more: [String: String]) throws {
        let settings = ["shared_buffers": "16MB", "max_connections": "40", "wal_level": "replica"]
            .merging(more) { $1 }
        primary = try PostgresCluster.start(in: Self.folder, lifetime: .throwAway, settings: settings)
        do {
            standby = try PostgresCluster.start(
                in: Self.folder,
                lifetime: .throwAway,
                settings: settings,
                following: primary
            )
        } catch {
            primary.stop()
            throw error
        }
    }

    private func stop() {
        standby.stop()
        primary.stop()
    }

    private static var folder: String { "/tmp/swiftlet-test-\(UUID().uuidString.prefix(8))" }

    /// The standby goes on to receive the log, and replays nothing of it.
    package func pause() async throws {
        try await Self.onThread { [self] in
            let connection = try BlockingConnection.connect(to: standbyURL)
            try connection.execute("SELECT pg_wal_replay_pause()")
            try Self.wait(on: connection, "SELECT pg_get_wal_replay_pause_state()", for: "paused")
        }
    }

    /// Has the standby become a primary of its own.
    package func promote() async throws { try await Self.onThread { [standby] in try standby.promote() } }

    package func stopStandby() async { await blocking { [standby] in standby.stop() } }

    package func stopPrimary() async { await blocking { [primary] in primary.stop() } }

    /// Ends the primary as a crash does, and starts it again.
    package func crashPrimary() async throws { try await Self.onThread { [primary] in try primary.crashAndStart() } }

    /// The standby receives nothing any more.
    package func cutOff() async throws {
        try await Self.onThread { [self] in
            let connection = try BlockingConnection.connect(to: standbyURL)
            try connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
            try connection.execute("SELECT pg_reload_conf()")
            try Self.wait(on: connection, "SELECT count(*) FROM pg_stat_wal_receiver", for: "0")
        }
    }

    package func resume() async throws {
        try await Self.onThread { [self] in
            try BlockingConnection.connect(to: standbyURL).execute("SELECT pg_wal_replay_resume()")
        }
    }

    /// Waits until the standby has replayed what the primary has written.
    package func catchUp() async throws {
        try await Self.onThread { [self] in
            let primary = try BlockingConnection.connect(to: primaryURL)
            // What is written asynchronously would else be flushed later.
            try primary.execute("CREATE TABLE IF NOT EXISTS caught_up (); DROP TABLE caught_up; CHECKPOINT")
            let place = try primary.query("SELECT pg_current_wal_flush_lsn()").first?[0] ?? "0/0"
            let standby = try BlockingConnection.connect(to: standbyURL)
            try Self.wait(on: standby, "SELECT pg_last_wal_replay_lsn() >= '\(place)'", for: "t")
        }
    }
}
