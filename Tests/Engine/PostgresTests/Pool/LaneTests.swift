import SwiftletEventLoop
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

/// Against the real server what ``PoolStateTests`` decides before a simulated one.
@Suite(.needsDatabase, .serialized, .hangLimit)
struct WorkloadTests {
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

    @Test func `a slow query of a new shape delays nobody's point reads`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            try await warmUp(pool, Self.byID, .numbers(1))
            let database = pool.database
            var waits: [Duration] = []
            // Once more where the machine may have been what held them up.
            for attempt in 0..<3 where !waits.contains(where: { $0 < Self.bearable }) {
                let new = Statement("SELECT pg_sleep(2), \(attempt)", isReadOnly: true)
                // A task cannot hand over what cannot be copied.
                async let slow = database.query(new, .none).count
                waits.append(try await longestWait(pool, for: .seconds(1.5)))
                #expect(try await slow == 1)
            }
            #expect(waits.contains { $0 < Self.bearable }, "\(waits)")
        }
    }

    @Test func `a query that was fast so far and now is slow is overtaken`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
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
