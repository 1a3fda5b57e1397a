import Foundation
import SwiftletEmbeddedPostgres
import SwiftletPostgres

/// A PostgreSQL of its own with a standby that follows it: for what depends on how far that is.
package final class TestReplication: Sendable {
    private let primary: PostgresCluster
    private let standby: PostgresCluster

    package var primaryURL: String { primary.url() }
    package var standbyURL: String { standby.url() }

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
        let replication = try TestReplication(settings)
        defer { replication.stop() }
        try await body(replication)
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
    package func pause() throws {
        let connection = try BlockingConnection.connect(to: standbyURL)
        try connection.execute("SELECT pg_wal_replay_pause()")
        while try connection.query("SELECT pg_get_wal_replay_pause_state()").first?[0] != "paused" {
            try connection.execute("SELECT pg_sleep(0.005)")
        }
    }

    /// Has the standby become a primary of its own.
    package func promote() throws { try standby.promote() }

    package func stopStandby() { standby.stop() }

    package func stopPrimary() { primary.stop() }

    /// Ends the primary as a crash does, and starts it again.
    package func crashPrimary() throws { try primary.crashAndStart() }

    /// The standby receives nothing any more.
    package func cutOff() throws {
        let connection = try BlockingConnection.connect(to: standbyURL)
        try connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
        try connection.execute("SELECT pg_reload_conf()")
        while try connection.query("SELECT count(*) FROM pg_stat_wal_receiver").first?[0] != "0" {
            try connection.execute("SELECT pg_sleep(0.005)")
        }
    }

    package func resume() throws {
        try BlockingConnection.connect(to: standbyURL).execute("SELECT pg_wal_replay_resume()")
    }

    /// Waits until the standby has replayed what the primary has written.
    package func catchUp() throws {
        let primary = try BlockingConnection.connect(to: primaryURL)
        // What is written asynchronously would else be flushed later.
        try primary.execute("CREATE TABLE IF NOT EXISTS caught_up (); DROP TABLE caught_up; CHECKPOINT")
        let place = try primary.query("SELECT pg_current_wal_flush_lsn()").first?[0] ?? "0/0"
        let standby = try BlockingConnection.connect(to: standbyURL)
        while try standby.query("SELECT pg_last_wal_replay_lsn() >= '\(place)'").first?[0] != "t" {
            try standby.execute("SELECT pg_sleep(0.005)")
        }
    }
}
