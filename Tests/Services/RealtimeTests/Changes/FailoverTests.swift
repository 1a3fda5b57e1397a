import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

/// Changes of rows over the failures of whole database servers, which are real ones.
@Suite(.needsDatabase, .serialized, .hangLimit)
struct FailoverTests {
    private static let settings = ["wal_level": "logical"]

    @Test func `a promoted standby begins anew, of which those who hear and those who come back are told`() async throws
    {
        try await TestReplication.with(settings: Self.settings) { replication in
            let url = replication.primaryURL
            try await onThread { try TestDatabase.migrate(url) }
            try await replication.catchUp()
            try await TestChanges.with(databaseURL: replication.eitherURL) { changes async throws in
                let received = try await changes.subscriber()
                for id in 1...3 { try await changes.perform("INSERT INTO todos VALUES (\(id))") }
                try await received.wait(for: 3)
                try await replication.catchUp()
                // What comes now is told, and lost with the primary: as a standby that lags loses it.
                try await replication.cutOff()
                try await changes.perform("INSERT INTO todos VALUES (4)")
                try await received.wait(for: 4)
                let last = try #require(received.positions.last)
                await replication.stopPrimary()
                try await replication.promote()
                let isReset = try await eventually(within: .seconds(100)) { received.resets == 1 }
                #expect(isReset)
                await #expect(throws: ChangeCursorError.expired) { _ = try await changes.subscriber(after: last) }
                try await changes.perform("INSERT INTO todos VALUES (5)")
                let isTold = try await eventually(within: .seconds(60)) { received.summary.last == "INSERT 5" }
                #expect(isTold)
                #expect(received.summary == ["INSERT 1", "INSERT 2", "INSERT 3", "INSERT 4", "INSERT 5"])
                #expect(received.resets == 1)
                #expect(received.positions == received.positions.sorted())
            }
        }
    }

    @Test func `a former primary that goes on is left, and what only it has is told to nobody`() async throws {
        try await TestReplication.with(settings: Self.settings) { replication in
            let (former, promoted) = (replication.primaryURL, replication.standbyURL)
            try await onThread { try TestDatabase.migrate(former) }
            try await TestChanges.with(databaseURL: replication.eitherURL) { changes async throws in
                let received = try await changes.subscriber()
                try await changes.perform("INSERT INTO todos VALUES (1)")
                try await received.wait(for: 1)
                let before = try #require(received.positions.last)
                try await replication.catchUp()
                try await replication.promote()
                let replicas = ReplicaSet(
                    [DatabaseConfiguration(url: promoted)],
                    of: changes.database,
                    group: changes.application.group,
                    onEvent: { _ in }
                )
                await replicas.ask()
                try await insert(2, at: former)
                let isReset = try await eventually(within: .seconds(60)) { received.resets == 1 }
                #expect(isReset)
                await #expect(throws: ChangeCursorError.expired) { _ = try await changes.subscriber(after: before) }
                try await insert(3, at: former)
                try await insert(4, at: promoted)
                let isTold = try await eventually(within: .seconds(60)) { received.summary.last == "INSERT 4" }
                #expect(isTold)
                #expect(received.summary == ["INSERT 1", "INSERT 4"])
                await replicas.shutdown()
            }
        }
    }

    private func insert(_ id: Int, at url: String) async throws {
        try await onThread { try BlockingConnection.connect(to: url).execute("INSERT INTO todos VALUES (\(id))") }
    }

    @Test func `changes that were read on another timeline than the primary's are not logged`() async throws {
        try await TestChanges.with { changes async throws in
            await changes.stopReaders()
            let log = ChangeLog(database: changes.database)
            let state = try await log.state()
            for (place, timeline, isLogged) in [(1, 7, false), (2, nil, true), (3, 1, true)] as [(UInt64, Int?, Bool)] {
                let entry = ChangeLog.Entry(
                    commit: LogSequenceNumber(rawValue: state.last.commit.rawValue + place),
                    index: 2,
                    transaction: 1,
                    committedAt: 0,
                    relation: 1,
                    operation: .insert,
                    new: "{}",
                    old: nil,
                    oldIsWhole: false
                )
                #expect(try await log.append([entry], epoch: state.epoch, timeline: timeline) == isLogged)
            }
            #expect(try await log.page(after: state.last).changes.count == 2)
        }
    }

    @Test func `a slot that has come over from another timeline is not read on`() async throws {
        try await TestChanges.with { changes async throws in
            let received = try await changes.subscriber()
            try await changes.perform("INSERT INTO todos VALUES (1)")
            try await received.wait(for: 1)
            let before = try #require(received.positions.last)
            let timeline = try await changes.ask("SELECT timeline FROM swiftlet.change_stream")
            #expect(timeline == [["1"]])
            // As on a standby to which the slot was copied, and which was promoted.
            try await changes.perform("UPDATE swiftlet.change_stream SET timeline = 7")
            try await onThread { try changes.killReader() }
            let isReset = try await eventually(within: .seconds(60)) { received.resets == 1 }
            #expect(isReset)
            await #expect(throws: ChangeCursorError.expired) { _ = try await changes.subscriber(after: before) }
            try await changes.perform("INSERT INTO todos VALUES (2)")
            try await received.wait(for: 3)
            #expect(received.summary == ["INSERT 1", "INSERT 2"])
        }
    }

    @Test func `a slot of before timelines were known is read on, and gets the one that it is on`() async throws {
        try await TestChanges.with { changes async throws in
            let received = try await changes.subscriber()
            try await changes.perform("INSERT INTO todos VALUES (1)")
            try await received.wait(for: 1)
            try await changes.perform("UPDATE swiftlet.change_stream SET timeline = NULL")
            try await onThread { try changes.killReader() }
            let isKnown = try await eventually(within: .seconds(60)) {
                try await changes.ask("SELECT timeline FROM swiftlet.change_stream") == [["1"]]
            }
            #expect(isKnown)
            try await changes.perform("INSERT INTO todos VALUES (2)")
            try await received.wait(for: 2)
            #expect(received.summary == ["INSERT 1", "INSERT 2"] && received.resets == 0)
        }
    }

    @Test func `a slot whose log has grown over its limit is lost and made anew, and all are told`() async throws {
        try await TestReplication.with(settings: ["wal_level": "logical", "max_slot_wal_keep_size": "1MB"]) {
            replication in
            let url = replication.primaryURL
            try await onThread { try TestDatabase.migrate(url) }
            try await TestChanges.with(databaseURL: replication.primaryURL, reads: false) { changes async throws in
                changes.startReader()
                #expect(try await eventually(within: .seconds(60)) { changes.hub.position != nil })
                let received = try await changes.subscriber()
                try await changes.perform("INSERT INTO todos VALUES (1)")
                try await received.wait(for: 1)
                let before = try #require(received.positions.last)
                await changes.stopReaders()
                // Nobody reads, and PostgreSQL writes and cleans up.
                let isLost = try await eventually(within: .seconds(100)) {
                    try await changes.perform("INSERT INTO todos SELECT coalesce(max(id), 0) + 1 FROM todos")
                    try await changes.perform("SELECT pg_switch_wal()")
                    try await changes.perform("CHECKPOINT")
                    return try await changes.ask("SELECT wal_status FROM pg_replication_slots") == [["lost"]]
                }
                #expect(isLost)
                #expect(received.resets == 0)
                changes.startReader()
                let isReset = try await eventually(within: .seconds(60)) { received.resets == 1 }
                #expect(isReset)
                await #expect(throws: ChangeCursorError.expired) { _ = try await changes.subscriber(after: before) }
                try await changes.perform("INSERT INTO todos VALUES (1000000)")
                let isTold = try await eventually(within: .seconds(60)) { received.summary.last == "INSERT 1000000" }
                #expect(isTold)
            }
        }
    }

    @Test func `PostgreSQL that is stopped and started loses and doubles nothing`() async throws {
        try await TestReplication.with(settings: Self.settings) { replication in
            let url = replication.primaryURL
            try await onThread { try TestDatabase.migrate(url) }
            try await TestChanges.with(databaseURL: replication.primaryURL) { changes async throws in
                // A cluster of the tests would forget its last commits in a crash.
                try await changes.perform("ALTER ROLE postgres SET synchronous_commit = on")
                let received = try await changes.subscriber()
                for round in 0..<3 {
                    let ids = (round * 10 + 1)...(round * 10 + 10)
                    for id in ids { try await changes.perform("INSERT INTO todos VALUES (\(id))") }
                    try await replication.crashPrimary()
                }
                try await changes.perform("INSERT INTO todos VALUES (31)")
                try await received.wait(for: 31)
                #expect(received.summary == (1...31).map { "INSERT \($0)" })
                #expect(received.resets == 0)
            }
        }
    }
}

/// Whole servers are slow to answer: what waits for them holds up no thread of the tests' pool.
extension TestChanges {
    fileprivate func perform(_ sql: String) async throws { try await onThread { try self.execute(sql) } }

    fileprivate func ask(_ sql: String) async throws -> [[String?]] { try await onThread { try self.query(sql) } }
}
