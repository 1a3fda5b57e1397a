import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletPostgres

/// A primary that goes on as one after its standby was promoted: two real servers that both take writes.
@Suite(.needsDatabase, .serialized, .hangLimit)
struct FormerPrimaryTests {
    /// The text of each notification, and "began" for each connection.
    private final class Heard: Sendable {
        private let texts = Mutex<[String]>([])

        func add(_ text: String?) { texts.withLock { $0.append(text ?? "began") } }

        var all: [String] { texts.withLock(\.self) }
    }

    @Test func `who listens and who reads the log leaves it once another is known, and comes to that one`() async throws
    {
        try await TestReplication.with(settings: ["wal_level": "logical"]) { replication in
            try await TestPool.with(url: replication.eitherURL) { pool async throws in
                let database = pool.database
                let heard = Heard()
                let listening = try #require(database.listen(to: "told") { heard.add($0) })
                let stream = try await stream(of: pool)
                try await replication.catchUp()
                try await replication.promote()
                try await notify("before", at: replication.primaryURL)
                #expect(try await eventually { heard.all == ["began", "before"] })
                let reading = Task { while true { _ = try await stream.next() } }

                let replicas = ReplicaSet(
                    [DatabaseConfiguration(url: replication.standbyURL)],
                    of: database,
                    group: pool.group,
                    onEvent: { _ in }
                )
                await replicas.ask()
                let error = try await #require(throws: PostgresError.self) { try await reading.value }
                #expect(error.message == "another server was promoted")
                #expect(try await eventually(within: .seconds(60)) { heard.all.count == 3 })
                try await notify("former", at: replication.primaryURL)
                try await notify("new", at: replication.standbyURL)
                #expect(try await eventually { heard.all.last == "new" })
                #expect(heard.all == ["began", "before", "began", "new"])
                // The former primary is the first host.
                let next = try await database.replicationStream(at: replication.eitherURL, on: pool.loop)
                #expect(try await next.query("IDENTIFY_SYSTEM").first?[1] == "2")
                listening.close()
                await replicas.shutdown()
            }
        }
    }

    @Test func `each attempt to read the log begins with another host`() async throws {
        try await TestReplication.with(settings: ["wal_level": "logical"]) { replication in
            try await replication.promote()
            let url = replication.eitherURL
            try await TestPool.with(url: url) { pool async throws in
                // The former primary first: what was promoted is not known before the second attempt.
                for (attempt, timeline) in [(0, "1"), (1, "2"), (2, "2")] {
                    let stream = try await pool.database.replicationStream(at: url, attempt: attempt, on: pool.loop)
                    #expect(try await stream.query("IDENTIFY_SYSTEM").first?[1] == timeline)
                }
            }
        }
    }

    private func stream(of pool: TestPool) async throws -> ReplicationStream {
        try await pool.database.query("CREATE PUBLICATION live FOR ALL TABLES")
        let stream = try await pool.database.replicationStream(at: pool.url, on: pool.loop)
        try await stream.query("CREATE_REPLICATION_SLOT live TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT")
        try await stream.start(slot: "live", publication: "live")
        return stream
    }

    private func notify(_ text: String, at url: String) async throws {
        _ = try await blocking {
            Result { try BlockingConnection.connect(to: url).query("SELECT pg_notify('told', $1)", [text]) }
        }.get()
    }
}
