import SwiftletEventLoop
import Foundation
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletPostgres

@Suite(.needsDatabase, .serialized, .hangLimit)
struct LockTests {
    private static let tables = """
        CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL);
        INSERT INTO items SELECT n, 'item ' || n FROM generate_series(1, 100) AS n;
        CREATE TABLE notes (id int PRIMARY KEY, name text NOT NULL);
        INSERT INTO notes SELECT n, 'note ' || n FROM generate_series(1, 100) AS n;
        """
    private static let readItem = Statement("SELECT name FROM items WHERE id = $1", isReadOnly: true)
    /// Takes long enough for a workload of its own, where several wait behind each other on one connection.
    private static let pageItems = Statement(
        "SELECT name, (SELECT count(*) FROM generate_series(1, 3000)) FROM items WHERE id > $1 ORDER BY id LIMIT 25",
        isReadOnly: true
    )
    private static let renameItem = Statement("UPDATE items SET name = name WHERE id = $1", isReadOnly: false)
    private static let countItem = Statement(
        "UPDATE items SET name = (name::int + 1)::text WHERE id = $1",
        isReadOnly: false
    )
    private static let readNote = Statement("SELECT name FROM notes WHERE id = $1", isReadOnly: true)
    private static let renameNote = Statement("UPDATE notes SET name = name WHERE id = $1", isReadOnly: false)

    /// What the pool has yet to learn: statements that were never refused, for the lock or because the queue is long.
    private final class Lessons: Sendable {
        private let open: Mutex<Set<UInt32>>
        private let over = Mutex(false)

        init(for statements: [Statement]) { open = Mutex(Set(statements.map(\.id))) }

        var isOver: Bool { over.withLock(\.self) }

        func note(_ refused: Statement) { _ = open.withLock { $0.remove(refused.id) } }

        /// Returns when each statement has been refused once.
        func wait() async {
            while !Task.isCancelled, !open.withLock(\.isEmpty) { try? await Task.sleep(for: .milliseconds(20)) }
        }

        func end() { over.withLock { $0 = true } }
    }

    private static let table = "LOCK TABLE items IN ACCESS EXCLUSIVE MODE"
    private static let row = "SELECT FROM items WHERE id = 1 FOR UPDATE"

    /// Holds a lock beside the pool while the body runs.
    private func withLock(_ lock: String, _ pool: TestPool, _ body: () async throws -> Void) async throws {
        let holder = try BlockingConnection.connect(to: pool.url)
        try holder.execute("BEGIN; \(lock)")
        do {
            try await body()
        } catch {
            try holder.execute("COMMIT")
            throw error
        }
        try holder.execute("COMMIT")
    }

    /// Returns when a statement waits for a lock.
    private func waitUntilBlocked(_ pool: TestPool) async throws {
        let waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        let isBlocked = try await eventually { try !pool.administer(waiting).isEmpty }
        try #require(isBlocked)
    }

    @Test func `who uses another table than the locked one is served`() async throws {
        let configure: (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.connections = 4
            configuration.lockTimeout = .milliseconds(500)
            // What waits behind those who were refused learns it by this.
            configuration.waitTimeout = .seconds(2)
        }
        try await TestPool.with(Self.tables, configure: configure) { pool async throws in
            let database = pool.database
            for statement in [Self.readItem, Self.pageItems, Self.renameItem, Self.readNote, Self.renameNote] {
                for _ in 0..<40 { _ = try await database.query(statement, .numbers(1)) }
            }
            let lessons = Lessons(for: [Self.readItem, Self.pageItems, Self.renameItem])
            try await withLock(Self.table, pool) {
                await withTaskGroup(of: Void.self) { group in
                    // Many who want the locked table, of every workload, and come again as soon as they are refused.
                    for (statement, count) in [(Self.readItem, 16), (Self.pageItems, 16), (Self.renameItem, 2)] {
                        for _ in 0..<count {
                            group.addTask(executorPreference: pool.loop) {
                                while !lessons.isOver, !Task.isCancelled {
                                    do { _ = try await database.query(statement, .numbers(1)) } catch {
                                        lessons.note(statement)
                                    }
                                }
                            }
                        }
                    }
                    await lessons.wait()
                    await withTaskGroup(of: Void.self) { others in
                        for statement in [Self.readNote, Self.renameNote] {
                            others.addTask(executorPreference: pool.loop) {
                                // Whoever waited for the lock would be served twice a second. A machine that stands
                                // still for a moment makes this statement a slow one, too, until it has run again.
                                let stopwatch = Stopwatch()
                                var served = 0
                                while served <= 20, stopwatch.elapsed < .seconds(8) {
                                    if (try? await database.query(statement, .numbers(1))) != nil { served += 1 }
                                }
                                #expect(served > 20)
                            }
                        }
                    }
                    lessons.end()
                }
            }
        }
    }

    @Test func `a lock that does not last is only waited for, and each write counts once`() async throws {
        try await TestPool.with(Self.tables, configure: { $0.lockTimeout = .seconds(2) }) { pool async throws in
            try pool.administer("UPDATE items SET name = '0' WHERE id = 1")
            let database = pool.database
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await withLock(Self.table, pool) {
                    for _ in 0..<4 {
                        group.addTask(executorPreference: pool.loop) {
                            _ = try await database.query(Self.countItem, .numbers(1))
                        }
                    }
                    let isRetried = try await eventually { await database.statistics()[0].totalRetried > 0 }
                    #expect(isRetried)
                }
                try await group.waitForAll()
            }
            #expect(try pool.administer("SELECT name FROM items WHERE id = 1") == [["4"]])
        }
    }

    @Test func `the loser of a deadlock is retried, and its write counts once`() async throws {
        try await TestPool.with(Self.tables) { pool async throws in
            let holder = try BlockingConnection.connect(to: pool.url)
            // Only the other one looks for deadlocks, a second after it has begun to wait.
            try holder.execute("SET deadlock_timeout = '1min'")
            try holder.execute("BEGIN; UPDATE items SET name = name || ', held' WHERE id = 2")
            async let mark = pool.database.query("UPDATE items SET name = name || ', marked' WHERE id <= 2").count
            try await waitUntilBlocked(pool)
            try holder.execute("UPDATE items SET name = name || ', held' WHERE id = 1; COMMIT")
            _ = try await mark
            let names = try pool.administer("SELECT name FROM items WHERE id <= 2 ORDER BY id")
            #expect(names == [["item 1, held, marked"], ["item 2, held, marked"]])
            #expect(await pool.database.statistics()[0].totalRetried == 1)
        }
    }

    @Test func `a write that another one has overtaken is retried, and counts once`() async throws {
        let isolation = """
            DO $$ BEGIN EXECUTE format(
                'ALTER DATABASE %I SET default_transaction_isolation = ''repeatable read''', current_database()
            ); END $$;
            """
        try await TestPool.with(isolation + Self.tables) { pool async throws in
            let holder = try BlockingConnection.connect(to: pool.url)
            try holder.execute("BEGIN; UPDATE items SET name = name || ', held' WHERE id = 1")
            async let mark = pool.database.query("UPDATE items SET name = name || ', marked' WHERE id = 1").count
            // It has its snapshot by then.
            try await waitUntilBlocked(pool)
            try holder.execute("COMMIT")
            _ = try await mark
            #expect(try pool.administer("SELECT name FROM items WHERE id = 1") == [["item 1, held, marked"]])
            #expect(await pool.database.statistics()[0].totalRetried == 1)
        }
    }

    @Test func `a lock that the first use of a statement meets is only waited for`() async throws {
        try await TestPool.with(Self.tables, configure: { $0.lockTimeout = .seconds(2) }) { pool async throws in
            try pool.administer("UPDATE items SET name = '0' WHERE id = 1")
            let holder = try BlockingConnection.connect(to: pool.url)
            try holder.execute("BEGIN; \(Self.row)")
            // A row's lock lets it be prepared, so that the answers to both arrive together.
            async let count = pool.database.query(Self.countItem, .numbers(1)).count
            #expect(try await eventually { await pool.database.statistics()[0].totalRetried == 1 })
            try holder.execute("COMMIT")
            _ = try await count
            #expect(try pool.administer("SELECT name FROM items WHERE id = 1") == [["1"]])
            #expect(await pool.database.statistics()[0].totalRetried == 1)
        }
    }

    @Test func `a lock is only waited for, too, where the client sees it only when it is over`() async throws {
        let configure: (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.connections = 2
            configuration.lockTimeout = .seconds(2)
        }
        try await TestPool.with(Self.tables, configure: configure) { pool async throws in
            let database = pool.database
            let slowly = Statement(
                "UPDATE notes SET name = name WHERE pg_sleep($1) IS NULL AND id = 1",
                isReadOnly: false
            )
            for _ in 0..<40 {
                _ = try await database.query(slowly, .texts("0"))
                _ = try await database.query(Self.renameItem, .numbers(1))
            }
            let holder = try BlockingConnection.connect(to: pool.url)
            try holder.execute("BEGIN; \(Self.row)")
            let before = Task(executorPreference: pool.loop) { _ = try await database.query(slowly, .texts("0.1")) }
            let behind = Task(executorPreference: pool.loop) {
                _ = try await database.query(Self.renameItem, .numbers(1))
            }
            // The loop reads the end of the first one and the failure of the second one together.
            let late = Task(executorPreference: pool.loop) { _ = usleep(2_600_000) }
            await late.value
            #expect(try await eventually { await database.statistics()[0].totalRetried > 0 })
            try holder.execute("COMMIT")
            try await before.value
            try await behind.value
        }
    }

    @Test func `a procedure that commits on its way is not repeated`() async throws {
        let procedure = """
            CREATE PROCEDURE collide() LANGUAGE plpgsql AS $$
            BEGIN
                UPDATE items SET name = name || ', called';
                COMMIT;
                RAISE SQLSTATE '40001';
            END $$;
            """
        try await TestPool.with(Self.tables + procedure) { pool async throws in
            let before = try #require(try pool.administer("SELECT name FROM items WHERE id = 1")[0][0])
            let error = try await #require(throws: PostgresError.self) {
                _ = try await pool.database.query("CALL collide()")
            }
            #expect(error.state == .serializationFailure)
            let after = try pool.administer("SELECT name FROM items WHERE id = 1")
            #expect(after == [["\(before), called"]])
        }
    }

    @Test func `a lock that lasts is an error`() async throws {
        try await TestPool.with(Self.tables, configure: { $0.lockTimeout = .milliseconds(50) }) { pool async throws in
            try await withLock(Self.table, pool) {
                let error = try await #require(throws: PostgresError.self) {
                    _ = try await pool.database.query(Self.renameItem, .numbers(1))
                }
                #expect(error.state == .lockNotAvailable)
            }
        }
    }

    @Test func `who asks not to wait is refused at once and asked no second time`() async throws {
        try await TestPool.with(Self.tables) { pool async throws in
            try await withLock(Self.row, pool) {
                let error = try await #require(throws: PostgresError.self) {
                    _ = try await pool.database.query("SELECT name FROM items WHERE id = 1 FOR UPDATE NOWAIT")
                }
                #expect(error.state == .lockNotAvailable)
                #expect(await pool.database.statistics()[0].totalRetried == 0)
            }
        }
    }
}
