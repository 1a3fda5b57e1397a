import SwiftletEventLoop
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

@Suite(.needsDatabase, .hangLimit)
struct QueryTests {
    private static let items = """
        CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL, tags text[] NOT NULL DEFAULT '{}');
        INSERT INTO items SELECT n, 'item ' || n FROM generate_series(1, 1000) AS n;
        """

    @Test func `a prepared statement answers with borrowed cells`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let byID = Statement("SELECT id, name FROM items WHERE id = $1", isReadOnly: true)
            for id in [1, 500, 1000, 1001] {
                let rows = try await pool.database.query(byID, .numbers(id))
                #expect(rows.count == (id <= 1000 ? 1 : 0))
                #expect(rows.text(0, 1) == (id <= 1000 ? "item \(id)" : nil))
            }
        }
    }

    @Test func `many queries at once each get their own answer`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let byID = Statement("SELECT name FROM items WHERE id = $1", isReadOnly: true)
            let database = pool.database
            let loop = pool.loop
            let wrong = await withTaskGroup(of: Int.self) { group in
                for id in 1...1000 {
                    group.addTask(executorPreference: loop) {
                        let rows = try? await database.query(byID, .numbers(id))
                        return rows?.text(0, 0) == "item \(id)" ? 0 : 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0)
            let isQuiet = try await eventually {
                let statistics = await database.statistics()
                return statistics[0].inFlight == 0 && statistics[0].waiting == 0
            }
            #expect(isQuiet)
        }
    }

    @Test func `SQL in place binds its values as data`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let hostile = "'; DROP TABLE items; --"
            try await pool.database.query("INSERT INTO items VALUES (\(2000), \(hostile), \(["a,b", "{\"}", "\\"]))")
            let rows = try await pool.database.query("SELECT name, tags FROM items WHERE name = \(hostile)")
            try #require(rows.count == 1)
            #expect(try rows[0].decode(String.self, "name") == hostile)
            #expect(try rows[0].decode([String].self, "tags") == ["a,b", "{\"}", "\\"])
            #expect(try await pool.text("SELECT count(*) FROM items") == "1001")
        }
    }

    @Test func `a server error has the names of table and constraint`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let error = try await #require(throws: PostgresError.self) {
                _ = try await pool.database.query("INSERT INTO items VALUES (\(1), \("again"))")
            }
            #expect(error.kind == .server)
            #expect(error.state == .uniqueViolation)
            #expect(error.constraint == "items_pkey")
            #expect(error.table == "items")
            #expect(error.description == "PostgresError(23505)")
            let missing = try await #require(throws: PostgresError.self) {
                _ = try await pool.database.query("SELECT * FROM nothing")
            }
            #expect(missing.state == .undefinedTable)
        }
    }

    @Test func `faulty parameters are refused before anything is sent`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let nul = try await #require(throws: PostgresError.self) {
                _ = try await pool.database.query("SELECT \("a\0b")::text")
            }
            #expect(nul.kind == .invalidParameters)
            var many = Parameters()
            for index in 0...65_535 { many.append(index) }
            let parameters = many
            let statement = Statement("SELECT 1", isReadOnly: true)
            let tooMany = try await #require(throws: PostgresError.self) {
                _ = try await pool.database.query(statement, parameters)
            }
            #expect(tooMany.state == .tooManyArguments)
            #expect(try await pool.text("SELECT 7") == "7")
        }
    }

    @Test func `a caller on no loop is back on no loop after each call`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let database = pool.database
            let isBack = try await Task.detached {
                _ = try await database.query("SELECT 1")
                let afterQuery = EventLoop.current == nil
                let afterTransaction = try await database.transaction { transaction in
                    _ = try await transaction.query("SELECT 1")
                    return EventLoop.current == nil
                }
                return afterQuery && afterTransaction && EventLoop.current == nil
            }.value
            #expect(isBack)
            let isOnLoop = try await pool.onLoop {
                _ = try await database.query("SELECT 1")
                return EventLoop.current === pool.loop
            }
            #expect(isOnLoop)
        }
    }

    @Test func `a pair answers in order`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let page = Statement("SELECT id FROM items ORDER BY id LIMIT $1", isReadOnly: true)
            let count = Statement("SELECT count(*) FROM items", isReadOnly: true)
            for _ in 0..<3 {
                let pair = try await pool.database.queryPair(page, .numbers(3), count, .none)
                #expect(pair.first.count == 3)
                #expect(pair.second.text(0, 0) == "1000")
            }
        }
    }

    @Test func `a deferred constraint fails the write`() async throws {
        let script = "CREATE TABLE late (x int UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO late VALUES (1)"
        try await TestPool.with(script) { pool async throws in
            let error = try await #require(throws: PostgresError.self) {
                _ = try await pool.database.query("INSERT INTO late VALUES (1) RETURNING x")
            }
            #expect(error.state == .uniqueViolation)
            #expect(try await pool.text("SELECT count(*) FROM late") == "1")
        }
    }

    @Test func `an error in a shared batch harms no neighbor`() async throws {
        try await TestPool.with(Self.items) { pool async throws in
            let divide = Statement("SELECT 100 / $1::int", isReadOnly: true)
            let database = pool.database
            let loop = pool.loop
            // Known to be fast, so that they share batches.
            for _ in 0..<20 { _ = try await database.query(divide, .numbers(1)) }
            for round in 0..<20 {
                let wrong = await withTaskGroup(of: Int.self) { group in
                    for index in 0..<64 {
                        group.addTask(executorPreference: loop) {
                            let divisor = index == round * 3 ? 0 : index + 1
                            do throws(PostgresError) {
                                let rows = try await database.query(divide, .numbers(divisor))
                                return divisor != 0 && rows.text(0, 0) == "\(100 / divisor)" ? 0 : 1
                            } catch {
                                return divisor == 0 && error.state.rawValue == "22012" ? 0 : 1
                            }
                        }
                    }
                    return await group.reduce(0, +)
                }
                #expect(wrong == 0)
            }
            #expect(await database.statistics()[0].totalRetried > 0, "no batch was shared: the test shows nothing")
        }
    }

    @Test func `large parameters and large results at once do not deadlock`() async throws {
        try await TestPool.with { pool async throws in
            let echo = Statement("SELECT repeat($1, 2)", isReadOnly: true)
            let database = pool.database
            let big = String(repeating: "x", count: 1 << 20)
            let loop = pool.loop
            let wrong = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<48 {
                    group.addTask(executorPreference: loop) {
                        let rows = try? await database.query(echo, .texts(big))
                        return rows?.cell(0, 0).count == 2 << 20 ? 0 : 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0)
        }
    }

    @Test func `sessions run in UTC and ISO`() async throws {
        try await TestPool.with { pool async throws in
            let names = [
                "TimeZone", "DateStyle", "lock_timeout", "statement_timeout", "client_encoding", "application_name",
            ]
            let rows = try await pool.database.query(
                "SELECT setting FROM unnest(\(names)::text[]) AS n JOIN pg_settings s ON s.name = n ORDER BY lower(s.name)"
            )
            #expect(rows.map { $0["setting"] } == ["swiftlet", "UTF8", "ISO, MDY", "2000", "20000", "UTC"])
        }
    }
}

extension Parameters {
    static func texts(_ values: String?...) -> Parameters {
        var parameters = Parameters()
        for value in values { parameters.append(value) }
        return parameters
    }

    static func numbers(_ values: Int...) -> Parameters {
        var parameters = Parameters()
        for value in values { parameters.append(value) }
        return parameters
    }
}
