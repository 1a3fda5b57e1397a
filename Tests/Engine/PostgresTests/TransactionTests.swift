import SwiftletEventLoop
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

@Suite(.needsDatabase, .hangLimit)
struct TransactionTests {
    private static let accounts = """
        CREATE TABLE accounts (id int PRIMARY KEY, amount int NOT NULL CHECK (amount >= 0));
        INSERT INTO accounts VALUES (1, 100), (2, 100);
        """

    private struct Stop: Error {}

    private func amount(_ pool: TestPool, _ id: Int) async throws -> Int? {
        try await pool.database.query("SELECT amount FROM accounts WHERE id = \(id)").first?.decode(Int.self, "amount")
    }

    private func isQuiet(_ pool: TestPool) async throws -> Bool {
        try await eventually {
            let statistics = await pool.database.statistics()[0]
            let open = try pool.administer(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND state LIKE 'idle in transaction%'
                """
            )
            return statistics.held == 0 && open == [["0"]]
        }
    }

    @Test func `transactions of one guest leave connections to those of the others`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let database = pool.database
            let (ends, end) = AsyncStream<Void>.makeStream()
            try await withThrowingTaskGroup { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await database.transaction(of: Guest("a")) { transaction in
                            try await transaction.query("SELECT 1")
                            for await _ in ends {}
                        }
                    }
                }
                let isHeld = try await eventually { await database.statistics()[0].held > 0 }
                #expect(isHeld)
                for guest in [nil, Guest("b")] {
                    let rows = try await database.transaction(of: guest) { try await $0.query("SELECT 2 AS two") }
                    #expect(rows.count == 1)
                }
                end.finish()
                try await group.waitForAll()
            }
        }
    }

    @Test func `held transactions leave a connection to other guests, and end once`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let database = pool.database
            var held: [HeldTransaction] = []
            while held.count < 50, let one = try await database.hold(for: Guest("\(held.count)")) { held.append(one) }
            #expect((1..<50).contains(held.count))
            _ = try await database.transaction(of: Guest("other")) { try await $0.query("SELECT 1") }
            for _ in 0..<2 { held[0].end() }
            let next = try await database.hold(for: Guest("next"))
            #expect(next !== nil)
            #expect(try await database.hold(for: Guest("other")) === nil)
            next?.end()
            for one in held { one.end() }
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `who reads rows slowly is not kept from other statements`() async throws {
        // Two guests at once, and of each caller one.
        try await TestPool.with(Self.accounts, configure: { $0.connections = 5 }) { pool async throws in
            let ada = Guest("ada")
            let held = try #require(await pool.database.hold(for: ada))
            _ = try await pool.database.transaction(of: ada) { try await $0.query("SELECT 1") }
            held.end()
        }
    }

    @Test(arguments: [false, true])
    func `what the body does is committed`(isOnLoop: Bool) async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let database = pool.database
            let move: @Sendable () async throws -> Int = {
                try await database.transaction { transaction in
                    try await transaction.query("UPDATE accounts SET amount = amount - \(30) WHERE id = \(1)")
                    try await transaction.query("UPDATE accounts SET amount = amount + \(30) WHERE id = \(2)")
                    return try await transaction.query("SELECT sum(amount)::int AS sum FROM accounts")[0].decode(
                        Int.self,
                        "sum"
                    )
                }
            }
            let sum = isOnLoop ? try await pool.onLoop(move) : try await move()
            #expect(sum == 200)
            #expect(try await amount(pool, 1) == 70)
            #expect(try await amount(pool, 2) == 130)
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `an error in the body undoes everything`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            await #expect(throws: Stop.self) {
                try await pool.database.transaction { transaction in
                    try await transaction.query("UPDATE accounts SET amount = 0")
                    throw Stop()
                }
            }
            #expect(try await amount(pool, 1) == 100)
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `an error of the server undoes everything`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let error = try await #require(throws: PostgresError.self) {
                try await pool.database.transaction { transaction in
                    try await transaction.query("UPDATE accounts SET amount = amount + 1 WHERE id = 2")
                    try await transaction.query("UPDATE accounts SET amount = amount - 500 WHERE id = 1")
                }
            }
            #expect(error.state == .checkViolation)
            #expect(try await amount(pool, 2) == 100)
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `a swallowed error is not a success`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let error = try await #require(throws: PostgresError.self) {
                try await pool.database.transaction { transaction in
                    try await transaction.query("UPDATE accounts SET amount = 0 WHERE id = 2")
                    _ = try? await transaction.query("SELECT 1 / \(0)::int")
                }
            }
            #expect(error.state == .inFailedTransaction)
            #expect(try await amount(pool, 2) == 100)
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `a body without a query sends nothing`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            #expect(try await pool.database.transaction { _ in 7 } == 7)
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `a transaction that has ended takes no more queries`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let leaked = try await pool.database.transaction { transaction in
                try await transaction.query("SELECT 1")
                return transaction
            }
            let error = try await #require(throws: PostgresError.self) { try await leaked.query("SELECT 1") }
            #expect(error.state.rawValue == "25P01")
        }
    }

    @Test(arguments: ["COMMIT", "ROLLBACK", "BEGIN"])
    func `the body cannot end the transaction itself`(text: String) async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let sql: SQL = text == "COMMIT" ? "COMMIT" : text == "BEGIN" ? "BEGIN" : "ROLLBACK"
            await #expect(throws: PostgresError.self) {
                try await pool.database.transaction { try await $0.query(sql) }
            }
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `statements that share a round trip are part of the transaction`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let add: [SQL] = [
                "UPDATE accounts SET amount = amount + \(1) WHERE id = \(1)",
                "UPDATE accounts SET amount = amount + \(2) WHERE id = \(2) RETURNING amount",
            ]
            let answers = try await pool.database.transaction { try await $0.queryAll(add) }
            #expect(answers.map(\.count) == [0, 1])
            #expect(answers.last?.first?["amount"] == "102")
            await #expect(throws: Stop.self) {
                try await pool.database.transaction { transaction in
                    _ = try await transaction.queryAll(add)
                    throw Stop()
                }
            }
            #expect(try await amount(pool, 2) == 102)
        }
    }

    @Test func `a cancelled transaction is rolled back and its connection stays usable`() async throws {
        try await TestPool.with(Self.accounts, configure: { $0.connections = 2 }) { pool async throws in
            let database = pool.database
            for _ in 0..<5 {
                let task = Task {
                    try await database.transaction { transaction in
                        try await transaction.query("UPDATE accounts SET amount = 0")
                        try await transaction.query("SELECT pg_sleep(30)")
                    }
                }
                try await Task.sleep(for: .milliseconds(100))
                task.cancel()
                let error = try await #require(throws: PostgresError.self) { try await task.value }
                #expect(error.kind == .cancelled)
                // The lock of a transaction that goes on would refuse this one after two seconds.
                try await database.query("UPDATE accounts SET amount = amount + \(1) WHERE id = \(1)")
            }
            #expect(try await amount(pool, 1) == 105)
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `a task cancelled between queries does not commit`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let database = pool.database
            let task = Task {
                try await database.transaction { transaction in
                    try await transaction.query("UPDATE accounts SET amount = 0")
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                }
            }
            await #expect(throws: PostgresError.self) { try await task.value }
            #expect(try await amount(pool, 1) == 100)
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `a connection that breaks in a transaction fails it, and nothing of it is committed`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let error = try await #require(throws: PostgresError.self) {
                try await pool.database.transaction { transaction in
                    try await transaction.query("UPDATE accounts SET amount = 0")
                    let pid = try await transaction.query("SELECT pg_backend_pid() AS pid")[0]["pid"]
                    try pool.administer("SELECT pg_terminate_backend($1::int, 5000)", [pid])
                    try await transaction.query("SELECT 1")
                }
            }
            #expect(error.kind == .connectionLostAfterSending || error.kind == .connectionFailure)
            #expect(try await amount(pool, 1) == 100)
            #expect(try await isQuiet(pool))
        }
    }

    @Test func `many concurrent transactions keep the total unchanged`() async throws {
        try await TestPool.with(Self.accounts, loops: 2) { pool async throws in
            let database = pool.database
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<60 {
                    let loop = pool.group.loops[index % 2]
                    group.addTask(executorPreference: loop) {
                        try? await database.transaction { transaction in
                            try await transaction.query("UPDATE accounts SET amount = amount - \(1) WHERE id = \(1)")
                            try await transaction.query("UPDATE accounts SET amount = amount + \(1) WHERE id = \(2)")
                            if index % 3 == 0 { throw Stop() }
                        }
                    }
                }
            }
            #expect(try await amount(pool, 1) == 60)
            #expect(try await amount(pool, 2) == 140)
            #expect(try await isQuiet(pool))
        }
    }

    /// What is prepared anew after a change of the schema is deallocated first, which a failed transaction refuses.
    @Test func `a transaction that fails after a change of the schema costs no connection`() async throws {
        try await TestPool.with(Self.accounts) { pool async throws in
            let database = pool.database
            func fail() async {
                _ = try? await database.transaction { transaction in
                    try await transaction.query("UPDATE accounts SET amount = -1 WHERE id = \(1)")
                }
            }
            for _ in 1...20 { await fail() }
            let before = Set(try pool.administer(Self.connections))
            await database.forgetPrepared()
            for _ in 1...20 { await fail() }
            // A backend that is done is listed for a moment.
            let areKept = try await eventually(within: .seconds(30)) {
                before.isSuperset(of: try pool.administer(Self.connections))
            }
            #expect(areKept)
            #expect(try await amount(pool, 1) == 100)
        }
    }

    private static let connections =
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY 1"
}
