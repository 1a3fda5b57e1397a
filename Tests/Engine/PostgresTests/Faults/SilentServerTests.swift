import SwiftletEventLoop
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

/// A server that neither answers nor closes: it is frozen, or its host has died.
@Suite(.needsDatabase, .serialized, .hangLimit)
struct SilentServerTests {
    private static let items = "CREATE TABLE items (id int PRIMARY KEY); INSERT INTO items VALUES (1)"
    private static let read = Statement("SELECT id FROM items WHERE id = $1", isReadOnly: true)

    /// Runs the body with a pool behind a relay and four writes on their way. `before` are the outages until the fault: on
    /// a busy machine a good server may be silent for as long.
    private func withRelay(
        _ fault: (Relay) -> Void,
        _ body: (
            TestPool, Relay, _ writes: [Task<PostgresError.Kind?, Never>], _ direct: String, _ before: Int
        ) async throws -> Void
    ) async throws {
        let direct = try TestDatabase.createEmpty()
        try BlockingConnection.connect(to: direct).execute(Self.items)
        let relay = try Relay(before: direct)
        defer { relay.stop() }
        let configure: (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.silenceLimit = .milliseconds(900)
            configuration.outageGrace = .milliseconds(100)
        }
        try await TestPool.with(url: relay.url, configure: configure) { pool async throws in
            let database = pool.database
            #expect(try await eventually { await database.statistics()[0].connectionsUp == 6 })
            for _ in 0..<40 { _ = try await database.query(Self.read, .numbers(1)) }
            let before = outages(pool)
            fault(relay)
            let writes = (2...5).map { id in
                Task(executorPreference: pool.loop) { () -> PostgresError.Kind? in
                    do throws(PostgresError) {
                        try await database.query("INSERT INTO items VALUES (\(id))")
                        return nil
                    } catch {
                        return error.kind
                    }
                }
            }
            let stopwatch = Stopwatch()
            let error = try await #require(throws: PostgresError.self) {
                try await database.query("SELECT 1 FROM items")
            }
            #expect(error.kind == .connectionFailure)
            #expect(stopwatch.elapsed < .seconds(4))
            try await body(pool, relay, writes, direct, before)
        }
    }

    /// Runs the body with a pool behind a relay, of as few connections as a pool has: all are soon at work.
    private func withTwoConnections(
        _ configure: (inout DatabaseConfiguration) -> Void = { _ in },
        _ body: (TestPool, Relay) async throws -> Void
    ) async throws {
        let direct = try TestDatabase.createEmpty()
        try BlockingConnection.connect(to: direct).execute(Self.items)
        let relay = try Relay(before: direct)
        defer { relay.stop() }
        let few: (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.connections = 2
            configuration.silenceLimit = .milliseconds(900)
            configure(&configuration)
        }
        try await TestPool.with(url: relay.url, configure: few) { pool async throws in
            #expect(try await eventually { await pool.database.statistics()[0].connectionsUp == 2 })
            try await body(pool, relay)
        }
    }

    private func outcomes(of writes: [Task<PostgresError.Kind?, Never>]) async -> [PostgresError.Kind?] {
        var outcomes: [PostgresError.Kind?] = []
        for write in writes { outcomes.append(await write.value) }
        return outcomes
    }

    private func outages(_ pool: TestPool) -> Int {
        pool.events.all.count { if case .connectionFailed = $0 { true } else { false } }
    }

    @Test func `frozen, it is an outage until it answers, and what was sent happens once`() async throws {
        try await withRelay({ $0.behave(.holding) }) { pool, relay, writes, direct, before async throws in
            let database = pool.database
            try await pool.expectFastFailures()
            #expect(outages(pool) == before + 1)
            relay.behave(.forwarding)
            #expect(try await eventually(within: .seconds(2)) { await database.ping() })
            let outcomes = await outcomes(of: writes)
            // Those that were refused had not been sent.
            #expect(outcomes.allSatisfy { $0 == nil || $0 == .connectionFailure })
            let acknowledged = outcomes.count { $0 == nil }
            #expect(acknowledged > 0)
            let count = try BlockingConnection.connect(to: direct).query("SELECT count(*) FROM items")
            #expect(count == [["\(1 + acknowledged)"]])
        }
    }

    @Test func `frozen while every connection is at work, it is an outage as well`() async throws {
        try await withTwoConnections { pool, relay async throws in
            let database = pool.database
            for _ in 0..<40 { _ = try await database.query(Self.read, .numbers(1)) }
            relay.behave(.holding)
            let write = Task(executorPreference: pool.loop) {
                try? await database.query("INSERT INTO items VALUES (\(2))")
            }
            let read = Task(executorPreference: pool.loop) { try? await database.query(Self.read, .numbers(1)).count }
            #expect(try await eventually(within: .seconds(3)) { outages(pool) == 1 })
            #expect(await read.value == nil)
            relay.behave(.forwarding)
            #expect(try await eventually(within: .seconds(2)) { await database.ping() })
            #expect(await write.value != nil)
        }
    }

    @Test func `a silent outage goes on when the last connection is given up`() async throws {
        let configure: (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.queryTimeout = .milliseconds(500)
            configuration.outageGrace = .milliseconds(100)
        }
        try await withTwoConnections(configure) { pool, relay async throws in
            let database = pool.database
            relay.behave(.holding)
            #expect((try? await database.query("INSERT INTO items VALUES (\(2))")) == nil)
            #expect(try await eventually(within: .seconds(9)) { await database.statistics()[0].connectionsUp == 0 })
            try await Task.sleep(for: .milliseconds(300))
            try await pool.expectFastFailures()
            #expect(pool.events.all.count { if case .connected = $0 { true } else { false } } == 1)
            relay.behave(.forwarding)
            #expect(try await eventually(within: .seconds(9)) { await database.ping() })
        }
    }

    @Test func `dead, it is replaced by whoever answers in its place`() async throws {
        try await withRelay({ $0.cutOff() }) { pool, _, writes, direct, before async throws in
            let database = pool.database
            #expect(try await eventually(within: .seconds(2)) { await database.ping() })
            let outcomes = await outcomes(of: writes)
            #expect(outcomes.allSatisfy { $0 == .connectionLostAfterSending || $0 == .connectionFailure })
            #expect(outcomes.contains(.connectionLostAfterSending))
            #expect(try await eventually(within: .seconds(2)) { await database.statistics()[0].connectionsUp == 6 })
            try await database.query("INSERT INTO items VALUES (\(9))")
            #expect(try BlockingConnection.connect(to: direct).query("SELECT count(*) FROM items") == [["2"]])
            #expect(outages(pool) == before + 1)
        }
    }

    @Test func `a host that takes no connection is passed over`() async throws {
        let settings = try #require(ConnectionSettings(parsing: TestDatabase.createEmpty()))
        let hole = try BlackHole()
        let others = settings.pairs.filter { !["host", "hostaddr", "port"].contains($0.keyword) }
        let hosts = "host=127.0.0.1,\(settings["host"] ?? "") port=\(hole.port),\(settings["port"] ?? "5432")"
        let url = others.reduce(hosts) { "\($0) \($1.keyword)='\($1.value)'" }
        // Long enough that the other one is not reached by giving up the whole attempt.
        try await TestPool.with(url: url, configure: { $0.connectTimeout = .seconds(20) }) { pool async throws in
            let database = pool.database
            #expect(try await eventually(within: .seconds(12)) { await database.ping() })
        }
        try await TestPool.with(url: "host=127.0.0.1 port=\(hole.port)") { pool async throws in
            #expect(try await eventually(within: .seconds(8)) { outages(pool) == 1 })
        }
    }

    @Test func `statements that have become slow on every connection are no outage`() async throws {
        let sleep = Statement("SELECT pg_sleep($1::float) IS NULL", isReadOnly: true)
        let configure: (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.connections = 4
            configuration.silenceLimit = .milliseconds(1500)
        }
        try await TestPool.with(Self.items, configure: configure) { pool async throws in
            let database = pool.database
            for _ in 0..<40 { _ = try await database.query(sleep, .texts("0")) }
            // As a server whose last connection is taken, it refuses further ones.
            let name = try #require(try pool.administer("SELECT quote_ident(current_database())")[0][0])
            let other = try BlockingConnection.connect(to: TestDatabase.createEmpty())
            try other.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    // Whoever waits too long for a connection is refused.
                    group.addTask(executorPreference: pool.loop) { _ = try? await database.query(sleep, .texts("3")) }
                }
            }
            #expect(outages(pool) == 0)
            #expect(await database.statistics()[0].totalConnectionsLost == 0)
        }
    }
}

/// A port that drops what arrives: the kernel does so as long as the queue of a listener is full.
private struct BlackHole: ~Copyable {
    let port: Int
    private let listener: FileDescriptor
    private let waiting: FileDescriptor

    init() throws {
        let any = try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]
        let listener = try SystemCall.makeSocket(for: any)
        try SystemCall.bind(listener, to: any)
        try SystemCall.listen(listener, backlog: 0)
        let address = try SystemCall.localAddress(of: listener)
        let waiting = try SystemCall.makeSocket(for: address)
        try SystemCall.connect(waiting, to: address)
        port = address.port
        self.listener = listener
        self.waiting = waiting
    }
}
