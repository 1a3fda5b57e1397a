import SwiftletEmbeddedPostgres
import SwiftletEventLoop
import Foundation
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletPostgres

private let pooler = "/usr/sbin/pgbouncer"

@Suite(
    .needsDatabase,
    .enabled(if: FileManager.default.isExecutableFile(atPath: pooler), "install pgbouncer"),
    .hangLimit
)
struct PoolerTests {
    /// pgbouncer in transaction mode before one database, with fewer server connections than we make to it.
    private final class Pooler {
        private let process = Process()
        private let folder: String
        let url: String

        /// `more` are further lines of its configuration.
        init(before url: String, _ more: String = "") throws {
            let settings = try #require(ConnectionSettings(parsing: url))
            let name = settings["dbname"] ?? ""
            folder = "/tmp/swiftlet-pooler-\(UUID().uuidString.prefix(8))"
            let files = FileManager.default
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
            let server = ["host", "port", "user", "password", "dbname"].compactMap { keyword in
                settings[keyword].map { "\(keyword)='\($0)'" }
            }
            let text = """
                [databases]
                \(name) = \(server.joined(separator: " "))
                [pgbouncer]
                listen_addr =
                listen_port = 6432
                unix_socket_dir = \(folder)
                auth_type = any
                pool_mode = transaction
                default_pool_size = 3
                \(more)
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/pgbouncer.ini"))
            self.url = "host=\(folder) port=6432 user=postgres dbname=\(name)"
            // It refuses to run as root; the owner of the test server's socket can use that socket.
            let owner = getuid() == 0 ? ["setpriv", "--reuid=postgres", "--clear-groups"] : []
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = owner + [pooler, "--quiet", "\(folder)/pgbouncer.ini"]
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
        }

        deinit {
            // Not `terminate`: a process that is started on a worker thread has that thread's signals blocked.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    @Test func `a transaction pooler in front is served when nothing is prepared`() async throws {
        let direct = try TestDatabase.createEmpty()
        try BlockingConnection.connect(to: direct).execute(
            """
            CREATE TABLE items (id int PRIMARY KEY, name text);
            INSERT INTO items SELECT n, 'item ' || n FROM generate_series(1, 100) AS n
            """
        )
        let pooler = try Pooler(before: direct)
        try await TestPool.with(url: pooler.url, configure: { $0.isPrepared = false }) { pool async throws in
            #expect(try await eventually { await pool.database.ping() })
            let database = pool.database
            let byID = Statement("SELECT name FROM items WHERE id = $1", isReadOnly: true)
            let loop = pool.loop
            let wrong = await withTaskGroup(of: Int.self) { group in
                for index in 0..<300 {
                    group.addTask(executorPreference: loop) {
                        let id = index % 100 + 1
                        let rows = try? await database.query(byID, .numbers(id))
                        return rows?.text(0, 0) == "item \(id)" ? 0 : 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0)
            try await database.transaction { transaction in
                try await transaction.query("UPDATE items SET name = \("changed") WHERE id = \(1)")
                try await transaction.query("UPDATE items SET name = \("changed") WHERE id = \(2)")
            }
            #expect(try await pool.text("SELECT count(*) FROM items WHERE name = 'changed'") == "2")
            for _ in 0..<10 { #expect(try await pool.text("SHOW TimeZone") == "UTC") }
            #expect(try await eventually { database.schema.tables["items"] != nil })
        }
    }

    @Test func `an error with which the pooler ends a connection is no answer of the server`() async throws {
        let pooler = try Pooler(before: TestDatabase.createEmpty(), "query_timeout = 1")
        try await TestPool.with(url: pooler.url, configure: { $0.isPrepared = false }) { pool async throws in
            #expect(try await eventually { await pool.database.ping() })
            let error = try await #require(throws: PostgresError.self) {
                _ = try await pool.database.query("SELECT pg_sleep(9)")
            }
            #expect(error.kind == .connectionLostAfterSending)
            let isTold = pool.events.all.contains { event in
                if case .connectionLost(_, let reason) = event { reason.contains("query timeout") } else { false }
            }
            #expect(isTold, "\(pool.events.all.suffix(3))")
        }
    }

    /// A small buffer that is read once a turn: so the pooler has often passed on the beginning of a batch only.
    @Test func `whoever asks gets his own answer, however the pooler cuts what we send`() async throws {
        let direct = try TestDatabase.createEmpty()
        try BlockingConnection.connect(to: direct).execute("CREATE TABLE notes (id int PRIMARY KEY, text text)")
        let pooler = try Pooler(before: direct, "pkt_buf = 512\nsbuf_loopcnt = 1")
        try await TestPool.with(url: pooler.url, configure: { $0.isPrepared = false }) { pool async throws in
            #expect(try await eventually { await pool.database.ping() })
            let database = pool.database
            let loop = pool.loop
            let add = Statement("INSERT INTO notes VALUES ($1, $2) RETURNING id", isReadOnly: false)
            let read = Statement("SELECT id, text FROM notes WHERE id = $1", isReadOnly: true)
            let failures = await withTaskGroup(of: [String].self) { group in
                for task in 0..<24 {
                    group.addTask(executorPreference: loop) {
                        var failures: [String] = []
                        for number in 0..<60 {
                            let id = task * 1000 + number
                            do throws(PostgresError) {
                                var values = Parameters()
                                values.append("\(id)")
                                values.append(String(repeating: "x", count: (number * 37) % 700))
                                let added = try await database.query(add, values).text(0, 0)
                                if added != "\(id)" { failures.append("asked to add \(id), added \(added ?? "")") }
                                let found = try await database.query(read, .numbers(id)).text(0, 0)
                                if found != "\(id)" { failures.append("asked for \(id), got \(found ?? "")") }
                            } catch {
                                failures.append(error.debugDescription)
                            }
                        }
                        return failures
                    }
                }
                return await group.reduce([], +)
            }
            #expect(failures.isEmpty, "\(failures.count) of 2880, such as \(failures.first ?? "")")
            #expect(try await pool.text("SELECT count(*) FROM notes") == "1440")
        }
    }

    @Test func `a server that is frozen behind its pooler is gone, however many connections are at work`() async throws
    {
        let relay = try Relay(before: TestDatabase.createEmpty())
        defer { relay.stop() }
        let pooler = try Pooler(before: relay.url)
        try await withTwoConnections(to: pooler.url, silenceLimit: .milliseconds(900)) { pool async throws in
            let database = pool.database
            let read = Statement("SELECT 1", isReadOnly: true)
            for _ in 0..<40 { _ = try await database.query(read, .none) }
            relay.behave(.holding)
            let write = Task(executorPreference: pool.loop) { try? await database.query("CREATE TABLE items (id int)") }
            let point = Task(executorPreference: pool.loop) { try? await database.query(read, .none).count }
            let isOutage = try await eventually(within: .seconds(3)) {
                pool.events.all.contains { event in
                    guard case .connectionFailed(_, let reason) = event else { return false }
                    return reason.contains("neither answers nor closes")
                }
            }
            #expect(isOutage)
            #expect(await point.value == nil)
            relay.behave(.forwarding)
            #expect(try await eventually(within: .seconds(4)) { await database.ping() })
            _ = await write.value
        }
    }

    @Test func `a server that is stopped behind its pooler is gone until it answers`() async throws {
        let folder = "/tmp/swiftlet-stopped-\(UUID().uuidString.prefix(8))"
        defer { try? PostgresCluster.delete(folder) }
        var cluster = try PostgresCluster.start(in: folder, settings: ["fsync": "off"])
        let pooler = try Pooler(before: cluster.url(), "server_login_retry = 1")
        let configure: (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.isPrepared = false
            configuration.connections = 4
            configuration.outageGrace = .milliseconds(250)
            // The pooler keeps a write for as long as its server is away.
            configuration.queryTimeout = .seconds(6)
        }
        try await TestPool.with(url: pooler.url, configure: configure) { pool async throws in
            let database = pool.database
            let loop = pool.loop
            let read = Statement("SELECT 1", isReadOnly: true)
            #expect(try await eventually { await database.statistics()[0].connectionsUp == 4 })
            try await database.query("CREATE TABLE items (id int)")
            for _ in 0..<40 { _ = try await database.query(read, .none) }
            let before = pool.events.all
            cluster.stop()
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask(executorPreference: loop) { _ = try? await database.query(read, .none) }
                    group.addTask(executorPreference: loop) {
                        _ = try? await database.query("INSERT INTO items VALUES (1)")
                    }
                    try? await Task.sleep(for: .milliseconds(100))
                }
            }
            try await pool.expectFastFailures(every: .milliseconds(70))
            #expect(await database.statistics()[0].totalConnectionsLost <= 4)
            let events = pool.events.all.dropFirst(before.count)
            let outages = events.count { if case .connectionFailed = $0 { true } else { false } }
            #expect((1...3).contains(outages), "\(events)")
            #expect(!events.contains { if case .connected = $0 { true } else { false } })
            cluster = try PostgresCluster.start(in: folder, settings: ["fsync": "off"])
            #expect(try await eventually(within: .seconds(4)) { await database.ping() })
        }
        cluster.stop()
    }

    @Test func `nothing is sent behind a probe to a pooler`() async throws {
        let relay = try Relay(before: TestDatabase.createEmpty())
        defer { relay.stop() }
        try await withTwoConnections(to: relay.url, silenceLimit: .seconds(6)) { pool async throws in
            let database = pool.database
            relay.behave(.holding)
            let write = Task(executorPreference: pool.loop) { try? await database.query("CREATE TABLE items (id int)") }
            #expect(try await eventually(within: .seconds(5)) { await database.statistics()[0].inFlight == 2 })
            relay.behave(.forwarding)
            _ = await write.value
            #expect(try await eventually { await database.statistics()[0].inFlight == 0 })
        }
    }

    private func withTwoConnections(
        to url: String,
        silenceLimit: Duration,
        _ body: (TestPool) async throws -> Void
    ) async throws {
        let configure: (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.isPrepared = false
            configuration.connections = 2
            configuration.silenceLimit = silenceLimit
        }
        try await TestPool.with(url: url, configure: configure) { pool async throws in
            #expect(try await eventually { await pool.database.statistics()[0].connectionsUp == 2 })
            // Reading the catalog, too, is in flight for a while.
            #expect(try await eventually { pool.database.schemaReadings > 0 })
            try await body(pool)
        }
    }

    @Test func `past the pooler changes of the schema are heard of`() async throws {
        let url = try TestDatabase.createEmpty()
        let pooler = try Pooler(before: url)
        let configure: (inout DatabaseConfiguration) -> Void = { configuration in
            configuration.isPrepared = false
            configuration.directURL = url
        }
        try await TestPool.with(url: pooler.url, configure: configure) { pool async throws in
            let heard = Atomic(false)
            let listening = try #require(
                pool.database.listen(to: "told") { if $0 == "this" { heard.store(true, ordering: .relaxed) } }
            )
            defer { listening.close() }
            let connection = try BlockingConnection.connect(to: url)
            #expect(
                try await eventually(within: .seconds(20)) {
                    try connection.execute("NOTIFY told, 'this'")
                    return heard.load(ordering: .relaxed)
                }
            )
            #expect(try await eventually(within: .seconds(20)) { pool.database.schemaReadings > 0 })
            let before = pool.database.schemaReadings
            try connection.execute("CREATE TABLE late (id int); NOTIFY pgrst, 'reload schema'")
            #expect(try await eventually(within: .seconds(20)) { pool.database.schemaReadings > before })
        }
    }

    @Test func `commands reach a database behind a pooler`() throws {
        let pooler = try Pooler(before: TestDatabase.createEmpty())
        let isUp = { (try? BlockingConnection.connect(to: pooler.url)) != nil }
        for _ in 0..<100 where !isUp() { Thread.sleep(forTimeInterval: 0.05) }
        #expect(try BlockingConnection.connect(to: pooler.url).query("SHOW TimeZone") == [["UTC"]])
    }

    /// A pooler that refuses our options, and one that drops them and lends the same session to several of us.
    @Test(arguments: ["", "ignore_startup_parameters = options"])
    func `whoever prepares behind a transaction pooler is told what to set`(settings: String) async throws {
        let pooler = try Pooler(before: TestDatabase.createEmpty(), settings)
        try await TestPool.with(url: pooler.url) { pool async throws in
            let statement = Statement("SELECT 1", isReadOnly: true)
            let isTold = try await eventually {
                await withTaskGroup { group in
                    for _ in 0..<20 { group.addTask { _ = try? await pool.database.query(statement, .none) } }
                }
                return pool.events.all.contains { event in
                    switch event {
                    case .connectionFailed(_, let reason), .connectionLost(_, let reason):
                        reason.contains("set DATABASE_PREPARED=off")
                    default: false
                    }
                }
            }
            #expect(isTold, "\(pool.events.all.suffix(3))")
        }
    }
}
