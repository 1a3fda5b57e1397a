import Foundation
import SwiftletAuth
import SwiftletPostgres
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletServer

/// Changes of rows, told by the built server.
@Suite(.needsDatabase, .hangLimit)
struct RowChangesServerTests {
    private let served: ServedChanges

    init() throws { served = try ServedChanges() }

    /// The ids and positions of the events that a stream gave until its server ended.
    private static func events(_ text: String) -> [(row: Int, position: String)] {
        text.matches(of: #/event: INSERT\nid: (\S+)\ndata: [^\n]*"record":\{"id":(\d+)[^\n]*\n\n/#).compactMap {
            match in
            Int(match.2).map { ($0, String(match.1)) }
        }
    }

    @Test func `the server is killed again and again: who resumes gets every change once and in order`() async throws {
        try BlockingConnection.connect(to: served.url).execute("CREATE TABLE ticks (id int PRIMARY KEY)")
        let added = try await served.run("realtime", "add", "ticks")
        #expect(added.output == "changes of public.ticks are told\n", "\(added.errors)")
        let token = try ServedChanges.token()
        try BlockingConnection.connect(to: served.url).execute("GRANT SELECT ON ticks TO service_role")
        var rows: [Int] = []
        var position: String?
        let rounds = 4
        let writer = BackgroundWriter(url: served.url)
        for round in 1...rounds {
            let (process, port) = try await served.serveReading()
            let client = try SocketClient(port: port)
            let head =
                "GET /realtime/v1/changes?table=ticks HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
            try client.send(head + (position.map { "Last-Event-ID: \($0)\r\n" } ?? "") + "\r\n")
            let reading = Task { await SwiftletTesting.blocking { (try? client.rest()) ?? client.everything } }
            if round == 1 {
                #expect(try await eventually { client.everything.contains("event: ready") }, "\(client.everything)")
                writer.start()
            }
            let count = rows.count
            let hasCome = try await eventually(within: .seconds(30)) {
                count + Self.events(client.everything).count >= 150 * round
            }
            #expect(hasCome, "round \(round): \(client.everything.suffix(500))")
            if round == rounds {
                try await writer.stop()
                let last = try writer.written
                let isWhole = try await eventually(within: .seconds(30)) {
                    Self.events(client.everything).last?.row == last
                }
                #expect(isWhole)
            }
            process.send(SIGKILL)
            let events = Self.events(await reading.value)
            rows += events.map(\.row)
            position = events.last?.position ?? position
            _ = try await process.end()
        }
        #expect(rows == Array(1...rows.count))
        #expect(try rows.count == writer.written)
    }

    @Test func `tables are added, shown and removed, and all is dropped at once`() async throws {
        try BlockingConnection.connect(to: served.url).execute(#"CREATE TABLE "Odd ""name" (id int PRIMARY KEY)"#)
        #expect(try await served.run("realtime", "status").output.contains("no table is published"))
        #expect(try await served.run("realtime", "add", "nothing").status == 1)
        #expect(try await served.run("realtime", "add", #""Odd ""name""#).status == 0)
        #expect(try await served.run("realtime", "add", #""Odd ""name""#, "--key-only").status == 0)
        let (process, _) = try await served.serveReading()
        let isRead = try await eventually(within: .seconds(30)) {
            let status = try await served.run("realtime", "status")
            return status.output.contains("slot is") && status.output.contains("read")
                && status.output.contains(#"public.Odd "name"#) && status.output.contains("whole")
        }
        #expect(isRead)
        #expect(try await served.run("realtime", "off").status == 0)
        let slots = try BlockingConnection.connect(to: served.url).query(
            "SELECT 1 FROM pg_replication_slots WHERE database = current_database()"
        )
        #expect(slots.isEmpty)
        #expect(try await served.run("realtime", "remove", #""Odd ""name""#).status == 1)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `doctor names what is missing`() async throws {
        try BlockingConnection.connect(to: served.url).execute(
            """
            CREATE TABLE keyed (id int PRIMARY KEY); ALTER TABLE keyed ENABLE ROW LEVEL SECURITY;
            CREATE TABLE bare (id int);
            """
        )
        #expect(try await served.run("doctor").output.contains("realtime: no table is published"))
        #expect(try await served.run("realtime", "add", "keyed", "bare", "--key-only").status == 0)
        let doctor = try await served.run("doctor").output
        #expect(doctor.contains("PostgreSQL refuses updates of bare"))
        #expect(doctor.contains("deletes in keyed are told to nobody"))
        // The server of these tests has no limit.
        #expect(doctor.contains("max_slot_wal_keep_size"))
    }
}

/// Inserts numbers until it is stopped, each in a transaction of its own.
private final class BackgroundWriter: Sendable {
    private let url: String
    private let mustStop = Atomic(false)
    private let hasStopped = Atomic(false)

    init(url: String) { self.url = url }

    func start() {
        Thread.detachNewThread { [self] in
            if let connection = try? BlockingConnection.connect(to: url) {
                var id = 0
                while !mustStop.load(ordering: .acquiring) {
                    id += 1
                    _ = try? connection.query("INSERT INTO ticks VALUES ($1)", [String(id)])
                    Thread.sleep(forTimeInterval: 0.004)
                }
            }
            hasStopped.store(true, ordering: .releasing)
        }
    }

    func stop() async throws {
        mustStop.store(true, ordering: .releasing)
        #expect(try await eventually { hasStopped.load(ordering: .acquiring) })
    }

    var written: Int {
        get throws {
            let rows = try BlockingConnection.connect(to: url).query("SELECT count(*) FROM ticks")
            return rows.first?[0].flatMap { Int($0) } ?? -1
        }
    }
}

/// Slots outlive their test otherwise, and there are few.
enum ChangeDirectoryCleaner {
    static func clean(_ url: String) throws {
        let connection = try BlockingConnection.connect(to: url)
        for _ in 0..<100 {
            let left = try connection.query(
                """
                SELECT CASE WHEN active THEN pg_terminate_backend(active_pid) END FROM pg_replication_slots
                WHERE database = current_database()
                """
            )
            if left.isEmpty { return }
            _ = try connection.query(
                """
                SELECT pg_sleep(0.02), pg_drop_replication_slot(slot_name) FROM pg_replication_slots
                WHERE database = current_database() AND NOT active
                """
            )
        }
    }
}
