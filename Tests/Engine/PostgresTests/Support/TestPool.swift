import SwiftletEventLoop
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletPostgres

/// A pool on loops of its own and a database of its own, for the length of one test.
struct TestPool: Sendable {
    let url: String
    let group: EventLoopGroup
    let database: Database
    let events: EventRecord

    var loop: EventLoop { group.loops[0] }

    /// Runs the body with an empty database that `script` has filled.
    static func with(
        _ script: String = "",
        url: String? = nil,
        loops: Int = 1,
        configure: (inout DatabaseConfiguration) -> Void = { _ in },
        _ body: (TestPool) async throws -> Void
    ) async throws {
        await Gate.pools.enter()
        do {
            try await run(script, url ?? TestDatabase.createEmpty(), loops, configure, body)
        } catch {
            await Gate.pools.leave()
            throw error
        }
        await Gate.pools.leave()
    }

    /// Runs the body with an empty database that `script` has filled, and gives what it returned.
    static func returning<Value>(
        _ script: String = "",
        _ body: (TestPool) async throws -> Value
    ) async throws -> Value {
        var value: Value?
        try await with(script) { pool in value = try await body(pool) }
        return try #require(value)
    }

    private static func run(
        _ script: String,
        _ url: String,
        _ loops: Int,
        _ configure: (inout DatabaseConfiguration) -> Void,
        _ body: (TestPool) async throws -> Void
    ) async throws {
        if !script.isEmpty { try BlockingConnection.connect(to: url).execute(script) }
        var configuration = DatabaseConfiguration(url: url, connections: 6 * loops)
        configuration.outageGrace = .seconds(3)
        // A busy machine holds connections up, which no test but those of this limit is about.
        configuration.waitTimeout = .seconds(20)
        configure(&configuration)
        let group = try EventLoopGroup.start(count: loops)
        defer { group.stop() }
        let events = EventRecord()
        let database = Database(configuration: configuration, group: group) { events.append($0) }
        database.start()
        let pool = TestPool(url: url, group: group, database: database, events: events)
        do {
            try await body(pool)
        } catch {
            await database.shutdown()
            throw error
        }
        await database.shutdown()
    }

    /// Expects that queries fail at once while the server is away, and do not wait for a time-out, which takes seconds:
    /// a quarter of them, as a busy machine may hold up any one, but makes none faster.
    func expectFastFailures(every interval: Duration = .zero) async throws {
        var waits: [Duration] = []
        for _ in 0..<15 {
            let stopwatch = Stopwatch()
            #expect(await !database.ping())
            waits.append(stopwatch.elapsed)
            try await Task.sleep(for: interval)
        }
        #expect(waits.sorted()[waits.count / 4] < .milliseconds(50), "\(waits)")
    }

    /// Runs a statement beside the pool.
    @discardableResult
    func administer(_ sql: String, _ parameters: [String?] = []) throws -> [[String?]] {
        try BlockingConnection.connect(to: url).query(sql, parameters)
    }

    /// Runs async work on the pool's first loop, as a request would be.
    func onLoop<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await Task(executorPreference: loop) { try await work() }.value
    }

    /// One query that gives one text.
    func text(_ sql: SQL) async throws -> String? {
        let rows = try await database.query(sql)
        return rows.first.flatMap { row in row.columns.first.flatMap { row[$0] } }
    }
}

/// What the pool told, in order.
final class EventRecord: Sendable {
    private let events = Mutex<[DatabaseEvent]>([])

    func append(_ event: DatabaseEvent) { events.withLock { $0.append(event) } }

    var all: [DatabaseEvent] { events.withLock { $0 } }
}
