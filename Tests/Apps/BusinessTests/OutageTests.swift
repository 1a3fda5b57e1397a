import SwiftletEmbeddedPostgres
import Foundation
import Swiftlet
import SwiftletBusiness
import SwiftletHTTP
import SwiftletJSON
import SwiftletMigrations
import SwiftletPostgres
import SwiftletWeb
import SwiftletTesting
import Synchronization
import Testing

/// PostgreSQL is stopped under load and started again.
@Suite(
    .needsDatabase,
    .hangLimit,
    .serialized
)
struct OutageTests {
    @Test func `an outage is answered at once, survived, and loses or repeats no acknowledged write`() async throws {
        let folder = "/tmp/swiftlet-outage-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var cluster = try PostgresCluster.start(in: folder, settings: ["fsync": "off"])
        defer { cluster.stop() }
        let url = cluster.url(database: "outage")
        try BlockingConnection.connect(to: cluster.url()).execute("CREATE DATABASE outage")
        try Migrator(url: url, files: TestDatabase.files()).apply()
        let server = try await TestApplication.start(business.functions, databaseURL: url)
        let caller = Shop.Caller(server: server, token: try TestApplication.token(tenant: "tenant-a", user: "alice"))

        let load = Load(caller)
        let writers = (0..<8).map { writer in Task { await load.run(writer) } }
        try await Task.sleep(for: .milliseconds(500))
        cluster.stop()
        try await expectOutage(caller)
        cluster = try PostgresCluster.start(in: folder, settings: ["fsync": "off"])
        let back = try await timeUntilServing(caller)
        #expect(back < .seconds(2))
        try await Task.sleep(for: .milliseconds(500))
        load.stop()
        for writer in writers { await writer.value }
        try check(load.outcomes, against: url)
        await server.stop()
    }

    @Test func `a database that refuses for now says so, and when to try again`() async throws {
        let url = try TestDatabase.create()
        let server = try await TestApplication.start(business.functions, databaseURL: url)
        let caller = Shop.Caller(server: server, token: try TestApplication.token(tenant: "tenant-a", user: "alice"))
        let codes = [
            "40001": "OVERLOADED", "40P01": "OVERLOADED", "55P03": "OVERLOADED", "25006": "DB_UNAVAILABLE",
            "53100": "DB_UNAVAILABLE", "57P03": "DB_UNAVAILABLE", "57014": "TIMEOUT",
        ]
        for (state, code) in codes {
            try BlockingConnection.connect(to: url).execute(
                """
                CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'hidden' USING ERRCODE = '\(state)'; END $$;
                CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION refuse()
                """
            )
            let response = try await caller.send(.post, "/tasks", #"{"title":"x"}"#)
            #expect(response.status == .serviceUnavailable, "\(state)")
            #expect(response.headers[.retryAfter] != nil, "\(state)")
            #expect(try JSONParser.parse(response.body)["code"] == .string(code), "\(state)")
        }
        await server.stop()
    }

    private func expectOutage(_ caller: Shop.Caller) async throws {
        // The first questions may wait for the grace that a short hiccup gets.
        _ = try await caller.send(.get, "/tasks")
        let questions = [(Method.get, "/tasks", ""), (.get, "/tasks/x", ""), (.post, "/tasks", #"{"title":"x"}"#)]
        var waits: [Duration] = []
        for (method, target, body) in questions + questions + questions {
            let stopwatch = Stopwatch()
            let response = try await caller.send(method, target, body)
            #expect(response.status == .serviceUnavailable)
            #expect(response.headers[.retryAfter] != nil)
            #expect(try JSONParser.parse(response.body)["code"] == "DB_UNAVAILABLE")
            waits.append(stopwatch.elapsed)
        }
        // A quarter of them: a busy machine may hold up any one, but makes none faster than the grace, which is longer.
        #expect(waits.sorted()[waits.count / 4] < .milliseconds(100), "\(waits)")
        #expect(try await caller.send(.get, "/health").status == .ok)
        try await Task.sleep(for: .milliseconds(1100))
        #expect(try await caller.send(.get, "/ready").status == .serviceUnavailable)
    }

    private func timeUntilServing(_ caller: Shop.Caller) async throws -> Duration {
        let stopwatch = Stopwatch()
        while try await caller.send(.get, "/tasks?limit=1").status != .ok {
            guard stopwatch.elapsed < .seconds(20) else { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        return stopwatch.elapsed
    }

    /// Acknowledged means stored once; refused means not stored; where the answer said "unknown", at most once.
    private func check(_ outcomes: [String: Status], against url: String) throws {
        let rows = try BlockingConnection.connect(to: url).query("SELECT title, count(*) FROM tasks GROUP BY title")
        var stored: [String: String] = [:]
        for row in rows { stored[row[0] ?? ""] = row[1] ?? "" }
        let acknowledged = outcomes.filter { $0.value == .created }.keys
        #expect(acknowledged.count > 20)
        #expect(outcomes.values.contains(.serviceUnavailable))
        #expect(acknowledged.filter { stored[$0] != "1" }.isEmpty)
        #expect(stored.filter { $0.value != "1" }.isEmpty)
        #expect(outcomes.values.allSatisfy { $0 == .created || $0 == .serviceUnavailable })
    }
}

/// Writers that make one task after the other, each with a title of its own, and keep what they were told.
private final class Load: Sendable {
    private let caller: Shop.Caller
    private let told = Mutex<[String: Status]>([:])
    private let isStopped = Atomic<Bool>(false)

    var outcomes: [String: Status] { told.withLock(\.self) }

    init(_ caller: Shop.Caller) {
        self.caller = caller
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    func run(_ writer: Int) async {
        var number = 0
        while !isStopped.load(ordering: .relaxed) {
            number += 1
            let title = "\(writer)-\(number)"
            guard let response = try? await caller.send(.post, "/tasks", #"{"title":"\#(title)"}"#) else { continue }
            told.withLock { $0[title] = response.status }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
