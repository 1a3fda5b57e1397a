import EventLoop
import SwiftletTesting
import Testing

@testable import Postgres

@Suite(.needsDatabase, .serialized, .hangLimit)
struct LaneTests {
    private static let items = """
        CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL);
        INSERT INTO items SELECT n, 'item ' || n FROM generate_series(1, 1000) AS n;
        """
    private static let byID = Statement("SELECT name FROM items WHERE id = $1", isReadOnly: true)
    private static let sleep = Statement("SELECT pg_sleep($1::float8)", isReadOnly: true)

    /// Asks for points for a while, a number at a time, and gives the longest wait for an answer.
    private func longestWait(
        _ pool: TestPool,
        for duration: Duration,
        tasks: Int = 16
    ) async throws -> Duration {
        let database = pool.database
        let loop = pool.loop
        let end = ContinuousClock.now + duration
        let stopwatch = Stopwatch()
        let longest = try await withThrowingTaskGroup(of: Duration.self) { group in
            for task in 0..<tasks {
                group.addTask(executorPreference: loop) {
                    var longest = Duration.zero
                    while ContinuousClock.now < end {
                        let start = ContinuousClock.now
                        let rows = try await database.query(Self.byID, .numbers(task + 1))
                        longest = max(longest, ContinuousClock.now - start)
                        guard rows.text(0, 0) == "item \(task + 1)" else { throw PostgresError.connectionFailure }
                    }
                    return longest
                }
            }
            return try await group.reduce(.zero, max)
        }
        return max(.zero, longest - stopwatch.stolen)
    }

    private func warmUp(_ pool: TestPool, _ statement: Statement, _ parameters: Parameters) async throws {
        for _ in 0..<40 { _ = try await pool.database.query(statement, parameters) }
    }

    /// What nobody may have to wait: far less than the slow query takes, far more than a busy test machine adds.
    private static let bearable = Duration.milliseconds(900)

    @Test(arguments: [2, 4, 6], [true, false])
    func `a slow query of a new shape delays nobody's point reads`(connections: Int, isReadOnly: Bool) async throws {
        try await TestPool.with(Self.items, configure: { $0.connections = connections }) { pool async throws in
            try await warmUp(pool, Self.byID, .numbers(1))
            let database = pool.database
            var waits: [Duration] = []
            // Once more where the machine may have been what held them up.
            for attempt in 0..<3 where !waits.contains(where: { $0 < Self.bearable }) {
                let new = Statement("SELECT pg_sleep(2), \(attempt)", isReadOnly: isReadOnly)
                // A task cannot hand over what cannot be copied.
                async let slow = database.query(new, .none).count
                waits.append(try await longestWait(pool, for: .seconds(1.5)))
                #expect(try await slow == 1)
            }
            #expect(waits.contains { $0 < Self.bearable }, "\(waits)")
        }
    }

    @Test(arguments: [2, 4, 6])
    func `a query that was fast so far and now is slow is overtaken`(connections: Int) async throws {
        try await TestPool.with(Self.items, configure: { $0.connections = connections }) { pool async throws in
            let database = pool.database
            var hasOvertaken = false
            var waits: [Duration] = []
            // On a busy machine the sleeper may be taken for slow after all, and then has nobody behind it, or
            // the others may be taken for slow as well.
            for _ in 0..<5 where !hasOvertaken {
                let retried = await database.statistics()[0].totalRetried
                try await warmUp(pool, Self.byID, .numbers(1))
                try await warmUp(pool, Self.sleep, .numbers(0))
                async let slow = database.query(Self.sleep, .texts("2")).count
                let longest = try await longestWait(pool, for: .seconds(1.5))
                #expect(try await slow == 1)
                waits.append(longest)
                hasOvertaken =
                    await database.statistics()[0].totalRetried > retried && longest < Self.bearable
            }
            #expect(hasOvertaken || waits.allSatisfy { $0 < Self.bearable }, "\(waits)")
        }
    }

    /// Nothing tells which of the two it is until the one that was asked again takes long there as well.
    @Test(arguments: [true, false])
    func `the only neighbour of a query that has become slow does not wait for it`(isFirst: Bool) async throws {
        try await TestPool.with(Self.items, configure: { $0.connections = 4 }) { pool async throws in
            let database = pool.database
            var waits: [Duration] = []
            for _ in 0..<3 {
                try await warmUp(pool, Self.byID, .numbers(1))
                try await warmUp(pool, Self.sleep, .numbers(0))
                let wait = try await withThrowingTaskGroup(of: Duration?.self) { group in
                    for isSleeper in [isFirst, !isFirst] {
                        group.addTask(executorPreference: pool.loop) {
                            let stopwatch = Stopwatch()
                            let statement = isSleeper ? Self.sleep : Self.byID
                            _ = try await database.query(statement, isSleeper ? .texts("1.5") : .numbers(1))
                            return isSleeper ? nil : stopwatch.elapsed
                        }
                    }
                    return try await group.reduce(.zero) { max($0, $1 ?? .zero) }
                }
                waits.append(wait)
            }
            // Most of them: a busy machine may hold up any one.
            #expect(waits.sorted()[1] < Self.bearable, "\(waits)")
        }
    }

    @Test func `pages and writes that wait in line take turns`() async throws {
        try await TestPool.with(Self.items, configure: { $0.connections = 2 }) { pool async throws in
            let page = Statement("SELECT id, name FROM items WHERE id > $1 ORDER BY id LIMIT 25", isReadOnly: true)
            let total = Statement("SELECT count(*) FROM items WHERE id > $1", isReadOnly: true)
            let rename = Statement("UPDATE items SET name = 'renamed' WHERE id = $1", isReadOnly: false)
            try await warmUp(pool, page, .numbers(0))
            try await warmUp(pool, total, .numbers(0))
            try await warmUp(pool, rename, .numbers(1))
            let database = pool.database
            let end = ContinuousClock.now + .seconds(1)
            let counts = try await withThrowingTaskGroup(of: (pages: Int, writes: Int).self) { group in
                for task in 0..<40 {
                    group.addTask(executorPreference: pool.loop) {
                        var count = 0
                        while ContinuousClock.now < end {
                            if task < 32 {
                                let pair = try await database.queryPair(page, .numbers(0), total, .numbers(0))
                                #expect(pair.first.count == 25 && pair.second.text(0, 0) == "1000")
                            } else {
                                #expect(try await database.query(rename, .numbers(task)).affectedRows == 1)
                            }
                            count += 1
                        }
                        return task < 32 ? (count, 0) : (0, count)
                    }
                }
                return try await group.reduce(into: (pages: 0, writes: 0)) {
                    $0 = ($0.pages + $1.pages, $0.writes + $1.writes)
                }
            }
            // Each in one bunch of the line at least, many times a second.
            #expect(counts.pages > 100 && counts.writes > 25, "\(counts)")
        }
    }

    @Test func `a write that waits for a lock delays neither reads nor other writes`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            try await warmUp(pool, Self.byID, .numbers(1))
            let holder = try BlockingConnection.connect(to: pool.url)
            try holder.execute("BEGIN; UPDATE items SET name = 'held' WHERE id = 7")
            let database = pool.database
            async let blocked = database.query("UPDATE items SET name = \("later") WHERE id = \(7)")
            try await Task.sleep(for: .milliseconds(100))
            let stopwatch = Stopwatch()
            for id in 100..<140 { try await database.query("UPDATE items SET name = \("x") WHERE id = \(id)") }
            let longest = try await longestWait(pool, for: .milliseconds(500))
            #expect(longest < Self.bearable)
            #expect(stopwatch.elapsed < .seconds(3))
            try holder.execute("COMMIT")
            _ = try await blocked
            #expect(try await pool.text("SELECT name FROM items WHERE id = 7") == "later")
        }
    }

    @Test func `slow queries run side by side, and transactions still find a connection`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let database = pool.database
            for _ in 0..<2 { _ = try await database.query(Self.sleep, .texts("0.05")) }
            let slow = Task {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 { group.addTask { _ = try? await database.query(Self.sleep, .texts("1.5")) } }
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            let stopwatch = Stopwatch()
            let name = try await database.transaction { transaction in
                try await transaction.query("SELECT name FROM items WHERE id = 1").first?["name"]
            }
            #expect(name == "item 1")
            #expect(stopwatch.elapsed < .milliseconds(1200))
            await slow.value
        }
    }

    @Test func `over the limit of waiters a query fails at once`() async throws {
        try await TestPool.with(configure: {
            $0.connections = 2; $0.maximumWaiters = 4
        }) { pool async throws in
            let database = pool.database
            let outcomes = await withTaskGroup(of: PostgresError.Kind?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do throws(PostgresError) {
                            _ = try await database.query("SELECT pg_sleep(0.2)")
                            return nil
                        } catch {
                            return error.kind
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == .overloaded } >= 10)
            #expect(outcomes.count { $0 == nil } >= 4)
            #expect(outcomes.allSatisfy { $0 == nil || $0 == .overloaded })
            #expect(await database.statistics()[0].totalOverloaded >= 10)
            #expect(try await pool.text("SELECT 1") == "1")
        }
    }

    @Test func `a wait for a connection has an end`() async throws {
        try await TestPool.with(configure: {
            $0.connections = 2; $0.waitTimeout = .milliseconds(500)
        }) { pool async throws in
            let database = pool.database
            #expect(try await eventually { await database.statistics()[0].connectionsUp == 2 })
            async let first = database.query("SELECT pg_sleep(3)")
            try await Task.sleep(for: .milliseconds(100))
            let stopwatch = Stopwatch()
            let error = try await #require(throws: PostgresError.self) {
                _ = try await database.query("SELECT pg_sleep(3) AS another")
            }
            #expect(error.kind == .overloaded)
            #expect(stopwatch.elapsed < .milliseconds(2500))
            _ = try await first
        }
    }

    @Test func `a cancelled call ends at once and the server cancels its query`() async throws {
        try await TestPool.with { pool async throws in
            let database = pool.database
            let task = Task { try await database.query("SELECT pg_sleep(30)") }
            try await Task.sleep(for: .milliseconds(200))
            let stopwatch = Stopwatch()
            task.cancel()
            let error = try await #require(throws: PostgresError.self) { _ = try await task.value }
            #expect(error.kind == .cancelled)
            #expect(stopwatch.elapsed < .seconds(10))
            let isStopped = try await eventually {
                try pool.administer(Self.running, ["%pg_sleep(30)%"]) == [["0"]]
            }
            #expect(isStopped)
            let isFree = try await eventually { await database.statistics()[0].held == 0 }
            #expect(isFree)
            #expect(await database.statistics()[0].totalConnectionsLost == 0, "\(pool.events.all)")
            for _ in 0..<20 { #expect(try await pool.text("SELECT 5") == "5") }
        }
    }

    private static let running = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE $1
        """

    @Test func `a task that is already cancelled does not wait for its query`() async throws {
        try await TestPool.with { pool async throws in
            let database = pool.database
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await database.query("SELECT pg_sleep(30)")
            }
            let error = try await #require(throws: PostgresError.self) { _ = try await task.value }
            #expect(error.kind == .cancelled)
        }
    }

    @Test func `no answer within the deadline is a timeout, and the connection is free again`() async throws {
        try await TestPool.with(configure: { $0.queryTimeout = .milliseconds(300) }) { pool async throws in
            let stopwatch = Stopwatch()
            let error = try await #require(throws: PostgresError.self) {
                _ = try await pool.database.query("SELECT pg_sleep(30)")
            }
            #expect(error.kind == .timeout)
            #expect(stopwatch.elapsed < .seconds(10))
            let isFree = try await eventually { await pool.database.statistics()[0].held == 0 }
            #expect(isFree)
            #expect(try pool.administer(Self.running, ["%pg_sleep(30)%"]) == [["0"]])
        }
    }

    @Test func `the server's own limit ends a statement`() async throws {
        try await TestPool.with(configure: { $0.statementTimeout = .milliseconds(200) }) { pool async throws in
            let error = try await #require(throws: PostgresError.self) {
                _ = try await pool.database.query("SELECT pg_sleep(30)")
            }
            #expect(error.kind == .server)
            #expect(error.state == .queryCancelled)
        }
    }
}
