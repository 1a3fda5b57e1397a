import SwiftletEmbeddedPostgres
import SwiftletEventLoop
import Foundation
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletPostgres

@Suite(.needsDatabase, .serialized, .hangLimit)
struct FaultTests {
    private static let items = """
        CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL);
        INSERT INTO items SELECT n, 'item ' || n FROM generate_series(1, 100) AS n;
        """
    private static let byID = Statement("SELECT name FROM items WHERE id = $1", isReadOnly: true)

    private static let killAll = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """

    @Test func `reads survive the death of every connection`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let database = pool.database
            let loop = pool.loop
            for _ in 0..<30 { _ = try await database.query(Self.byID, .numbers(1)) }
            let end = ContinuousClock.now + .seconds(2)
            let failures = try await withThrowingTaskGroup(of: [String].self) { group in
                for task in 0..<16 {
                    group.addTask(executorPreference: loop) {
                        var failures: [String] = []
                        while ContinuousClock.now < end {
                            do throws(PostgresError) {
                                let rows = try await database.query(Self.byID, .numbers(task + 1))
                                if rows.text(0, 0) != "item \(task + 1)" { failures.append("wrong row") }
                            } catch {
                                failures.append(error.debugDescription)
                            }
                        }
                        return failures
                    }
                }
                for _ in 0..<4 {
                    try await Task.sleep(for: .milliseconds(400))
                    try pool.administer(Self.killAll)
                }
                return try await group.reduce([], +)
            }
            #expect(failures == [])
            #expect(await database.statistics()[0].totalConnectionsLost >= 6)
        }
    }

    @Test func `an acknowledged write is stored, an unknown one at most once, an unsent one never`() async throws {
        try await TestPool.with(WriteLog.table) { pool async throws in
            let database = pool.database
            let loop = pool.loop
            let log = WriteLog()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 { group.addTask(executorPreference: loop) { await log.write(to: database) } }
                for _ in 0..<8 {
                    try await Task.sleep(for: .milliseconds(150))
                    try pool.administer(Self.killAll)
                }
                try await Task.sleep(for: .milliseconds(300))
                log.stop()
                try await group.waitForAll()
            }
            try await check(log, pool)
            #expect(!log.numbers(.unknown).isEmpty, "no write was under way at a kill: the test shows little")
        }
    }

    @Test func `what the server says when it closes an idle connection is reported`() async throws {
        try await TestPool.with { pool async throws in
            let database = pool.database
            #expect(try await eventually { await database.statistics()[0].connectionsUp == 6 })
            try pool.administer(Self.killAll)
            #expect(try await eventually { await database.statistics()[0].totalConnectionsLost == 6 })
            for event in pool.events.all {
                guard case .connectionLost(_, let reason) = event else { continue }
                #expect(reason == "terminating connection due to administrator command")
            }
        }
    }

    @Test func `a server that is far away keeps its connections`() async throws {
        let relay = try Relay(before: TestDatabase.createEmpty())
        defer { relay.stop() }
        relay.behave(.delaying)
        try await TestPool.with(url: relay.url) { pool async throws in
            let database = pool.database
            let one = Statement("SELECT 1", isReadOnly: true)
            // As long as anything is in progress, the pool looks for what takes too long.
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<6 { _ = try? await database.query(one, .none) } }
                }
            }
            let lost = pool.events.all.filter { if case .connectionLost = $0 { true } else { false } }
            #expect(lost.isEmpty, "\(lost)")
            // The way there alone makes no statement a slow one.
            let retried = await database.statistics()[0].totalRetried
            #expect(retried < 12)
        }
    }

    /// What was last asked of them, long ago, says nothing about the question whether they live.
    @Test func `idle connections to a server that is far away survive being asked for a sign of life`() async throws {
        let relay = try Relay(before: TestDatabase.createEmpty())
        defer { relay.stop() }
        let configure: (inout DatabaseConfiguration) -> Void = {
            $0.isPrepared = false
            $0.queryTimeout = .seconds(1)
            $0.answerGrace = .milliseconds(200)
            // The sign of life is asked for after a third of it.
            $0.silenceLimit = .milliseconds(1200)
        }
        try await TestPool.with(url: relay.url, configure: configure) { pool async throws in
            #expect(try await eventually { await pool.database.statistics()[0].connectionsUp == 6 })
            let one = Statement("SELECT 1", isReadOnly: true)
            await withTaskGroup { group in
                for _ in 0..<12 { group.addTask { _ = try? await pool.database.query(one, .none) } }
            }
            relay.behave(.delaying)
            // With the time until they are asked, longer than a query and the silence after it may take.
            try await Task.sleep(for: .seconds(1))
            _ = try? await pool.database.query(Statement("SELECT pg_sleep(0.4)", isReadOnly: true), .none)
            let lost = pool.events.all.filter { if case .connectionLost = $0 { true } else { false } }
            #expect(lost.isEmpty, "\(lost)")
        }
    }

    @Test(arguments: [true, false])
    func `every call ends when its connection breaks while it is being sent`(isReadOnly: Bool) async throws {
        try await TestPool.with(Self.items, configure: { $0.connections = 2 }) { pool async throws in
            let database = pool.database
            let loop = pool.loop
            let reading = Statement("SELECT length($1)", isReadOnly: true)
            let writing = Statement("UPDATE items SET name = $1 WHERE id = 1", isReadOnly: false)
            let statement = isReadOnly ? reading : writing
            for _ in 0..<20 { _ = try await database.query(statement, .texts("small")) }
            // Too long to be kept until the batch ends: sending it shows libpq that the connection is broken.
            let large = String(repeating: "x", count: 1_000_000)
            let asked = Task(executorPreference: loop) {
                // Nothing here waits, so that the loop does not hear of the end before everything is sent.
                try pool.administer(Self.killAll)
                usleep(100_000)
                return await withTaskGroup(of: PostgresError.Kind?.self) { group in
                    for _ in 0..<4 {
                        group.addTask(executorPreference: loop) {
                            do throws(PostgresError) {
                                _ = try await database.query(statement, .texts(large))
                                return nil
                            } catch {
                                return error.kind
                            }
                        }
                    }
                    return await group.reduce(into: [PostgresError.Kind?]()) { $0.append($1) }
                }
            }
            let limit = Task {
                try await Task.sleep(for: .seconds(8))
                asked.cancel()
            }
            defer { limit.cancel() }
            let outcomes = try await asked.value
            #expect(outcomes.count == 4)
            for outcome in outcomes {
                // What was not sent may well go through on the next connection.
                #expect(outcome == nil || (!isReadOnly && outcome == .connectionLostAfterSending))
            }
        }
    }

    @Test func `a server that closes during a long statement ends its connection and nothing else`() async throws {
        let direct = try TestDatabase.createEmpty()
        try BlockingConnection.connect(to: direct).execute(Self.items)
        let relay = try Relay(before: direct)
        defer { relay.stop() }
        try await TestPool.with(url: relay.url, configure: { $0.connections = 2 }) { pool async throws in
            #expect(try await eventually { await pool.database.ping() })
            let database = pool.database
            let loop = pool.loop
            let writing = Statement("UPDATE items SET name = $1 WHERE id = 1", isReadOnly: false)
            let large = String(repeating: "x", count: 8_000_000)
            relay.behave(.holding)
            let outcome = Task(executorPreference: loop) { () -> PostgresError.Kind? in
                do throws(PostgresError) {
                    _ = try await database.query(writing, .texts(large))
                    return nil
                } catch {
                    return error.kind
                }
            }
            try await Task.sleep(for: .milliseconds(300))
            // The loop sleeps, and so hears at once that there is room to send and that nothing will come.
            try await pool.onLoop {
                relay.behave(.halfClosed)
                usleep(400_000)
            }
            #expect(await outcome.value == .connectionLostAfterSending)
            relay.behave(.forwarding)
            #expect(try await eventually { await database.ping() })
            #expect(try await database.query(Self.byID, .numbers(2)).text(0, 0) == "item 2")
        }
    }

    private func check(_ log: WriteLog, _ pool: TestPool) async throws {
        let rows = try pool.administer("SELECT number, count(*) FROM log GROUP BY number")
        let present = Set(rows.compactMap { row in row[0].flatMap { Int($0) } })
        #expect(rows.allSatisfy { $0[1] == "1" }, "a write happened twice")
        #expect(log.numbers(.acknowledged).isSubset(of: present), "an acknowledged write is missing")
        #expect(log.numbers(.notSent).isDisjoint(with: present), "a write that was not sent happened")
        #expect(present.isSubset(of: log.numbers(.acknowledged).union(log.numbers(.unknown))))
        #expect(log.unexpected == [])
        #expect(log.numbers(.acknowledged).count > 50)
    }

    @Test func `a server that stops and returns: fast failures, then service within two seconds`() async throws {
        let folder = "/tmp/swiftlet-fault-\(UUID().uuidString.prefix(8))"
        let settings = ["fsync": "off", "max_connections": "50"]
        var cluster = try PostgresCluster.start(in: folder, settings: settings)
        defer { try? PostgresCluster.delete(folder) }
        try await TestPool.with(
            WriteLog.table,
            url: cluster.url(),
            configure: { $0.outageGrace = .milliseconds(250) }
        ) { pool async throws in
            let database = pool.database
            let loop = pool.loop
            #expect(try await eventually { await database.ping() })
            let log = WriteLog()
            let writers = Task {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 { group.addTask(executorPreference: loop) { await log.write(to: database) } }
                }
            }
            for _ in 0..<2 {
                try await Task.sleep(for: .milliseconds(400))
                cluster.stop()
                try await Task.sleep(for: .milliseconds(600))
                let stopwatch = Stopwatch()
                let error = try await #require(throws: PostgresError.self) { try await database.query("SELECT 1") }
                #expect(error.kind == .connectionFailure)
                #expect(stopwatch.elapsed < .seconds(2))
                try await pool.expectFastFailures()
                try await Task.sleep(for: .milliseconds(1500))
                cluster = try PostgresCluster.start(in: folder, settings: settings)
                let isBack = try await eventually(within: .seconds(2)) { await database.ping() }
                #expect(isBack, "not back within two seconds")
            }
            try await Task.sleep(for: .milliseconds(300))
            log.stop()
            await writers.value
            try await check(log, pool)
        }
        cluster.stop()
    }

    @Test func `a server that is not there: fast failures from the start`() async throws {
        try await TestPool.with(
            url: "postgresql:///nothing?host=/tmp/swiftlet-no-such-folder",
            configure: { $0.outageGrace = .milliseconds(100) }
        ) { pool async throws in
            let stopwatch = Stopwatch()
            let error = try await #require(throws: PostgresError.self) { try await pool.database.query("SELECT 1") }
            #expect(error.kind == .connectionFailure)
            #expect(stopwatch.elapsed < .seconds(4))
            #expect(await !pool.database.ping())
            let hasTold = pool.events.all.contains { if case .connectionFailed = $0 { true } else { false } }
            #expect(hasTold)
            for _ in 0..<3 {
                await #expect(throws: PostgresError.self) { try await pool.database.reloadSchema() }
            }
            let hasBlamed = pool.events.all.contains { if case .schemaFailed = $0 { true } else { false } }
            #expect(!hasBlamed, "the outage has been told")
        }
    }

    @Test func `an invalid URL connects nowhere`() async throws {
        try await TestPool.with(url: "postgresql://[") { pool async throws in
            let error = try await #require(throws: PostgresError.self) { try await pool.database.query("SELECT 1") }
            #expect(error.kind == .connectionFailure)
        }
    }

    @Test func `of several hosts the one that accepts writes is used`() async throws {
        let standby = try PostgresCluster.start(
            in: "/tmp/swiftlet-standby-\(UUID().uuidString.prefix(8))",
            lifetime: .throwAway,
            settings: ["default_transaction_read_only": "on"]
        )
        defer { standby.stop() }
        let primary = try PostgresCluster.start(
            in: "/tmp/swiftlet-primary-\(UUID().uuidString.prefix(8))",
            lifetime: .throwAway
        )
        defer { primary.stop() }
        let hosts = "/tmp/swiftlet-no-such-folder,\(standby.socketFolder),\(primary.socketFolder)"
        let url = "host=\(hosts) user=postgres dbname=postgres target_session_attrs=read-write"
        try await TestPool.with(url: url) { pool async throws in
            for round in 0..<3 {
                try await pool.database.query("CREATE TABLE IF NOT EXISTS written (round int)")
                try await pool.database.query("INSERT INTO written VALUES (\(round))")
            }
            #expect(try await pool.text("SELECT count(*) FROM written") == "3")
            #expect(try BlockingConnection.connect(to: primary.url()).query("SELECT count(*) FROM written") == [["3"]])
        }
    }

    @Test func `without prepared statements nothing is prepared`() async throws {
        try await TestPool.with(Self.items, configure: { $0.isPrepared = false }) { pool async throws in
            let database = pool.database
            for id in 1...50 {
                let rows = try await database.query(Self.byID, .numbers(id))
                #expect(rows.text(0, 0) == "item \(id)")
            }
            try await database.query("UPDATE items SET name = \("new") WHERE id = \(1)")
            let name = try await database.transaction { transaction in
                try await transaction.query("SELECT name FROM items WHERE id = \(1)")[0]["name"]
            }
            #expect(name == "new")
            #expect(try await pool.text("SELECT count(*) FROM pg_prepared_statements") == "0")
            #expect(try await pool.text("SHOW TimeZone") == "UTC")
        }
    }

    @Test func `a read in flight at the shutdown fails, even when the loop stops right after it`() async throws {
        let failure = Failure()
        try await TestPool.with { pool async throws in
            let database = pool.database
            let sleep = Statement("SELECT pg_sleep(20)", isReadOnly: true)
            #expect(try await eventually { await database.ping() })
            Task {
                do throws(PostgresError) {
                    _ = try await database.query(sleep, .none)
                } catch {
                    failure.kind.withLock { $0 = error.kind }
                }
            }
            #expect(try await eventually { await database.statistics()[0].inFlight == 1 })
        }
        #expect(try await eventually { failure.kind.withLock { $0 == .connectionFailure } })
    }

    private final class Failure: Sendable {
        let kind = Mutex<PostgresError.Kind?>(nil)
    }

    @Test func `a loop that is busy holds up the shutdown of no other`() async throws {
        try await TestPool.with(loops: 2) { pool async throws in
            let database = pool.database
            let loops = pool.group.loops
            for loop in loops {
                _ = try await Task(executorPreference: loop) { try await database.query("SELECT 1").count }.value
            }
            let busy = Task(executorPreference: loops[0]) { _ = usleep(2_500_000) }
            try await Task.sleep(for: .milliseconds(100))
            let shutdown = Task { await database.shutdown() }
            try await Task.sleep(for: .milliseconds(200))
            let stopwatch = Stopwatch()
            let other = Task(executorPreference: loops[1]) { try await database.query("SELECT 1").count }
            await #expect(throws: PostgresError.self) { try await other.value }
            #expect(stopwatch.elapsed < .seconds(2))
            await busy.value
            await shutdown.value
        }
    }

    @Test func `a shut-down pool answers at once`() async throws {
        try await TestPool.with { pool async throws in
            _ = try await pool.text("SELECT 1")
            let database = pool.database
            let waiting = Task { try await database.query("SELECT pg_sleep(20)") }
            try await Task.sleep(for: .milliseconds(100))
            await database.shutdown()
            await #expect(throws: PostgresError.self) { try await waiting.value }
            await #expect(throws: PostgresError.self) { try await database.query("SELECT 1") }
            await #expect(throws: PostgresError.self) { try await database.reloadSchema() }
            await #expect(throws: PostgresError.self) {
                try await database.transaction { try await $0.query("SELECT 1") }
            }
        }
    }
}
