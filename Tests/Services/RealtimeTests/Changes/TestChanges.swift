import Foundation
import SwiftletAuth
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Synchronization
import Testing

@testable import SwiftletRealtime

/// A database whose changes are read and told, for the length of one test.
struct TestChanges: Sendable {
    let application: TestApplication
    let hub: ChangeHub
    let verifier: TokenVerifier
    private let running = Tasks()
    private let reading = Tasks()

    var url: String { application.databaseURL }
    var database: Database { application.database }

    static let todos = """
        CREATE TABLE todos (id int PRIMARY KEY, team text, title text, done boolean NOT NULL DEFAULT false);
        ALTER TABLE todos REPLICA IDENTITY FULL;
        GRANT ALL ON todos TO anon, authenticated, service_role;
        CREATE PUBLICATION supabase_realtime FOR TABLE todos;
        """

    /// Rows of the caller's team are theirs.
    static let teamPolicy = """
        ALTER TABLE todos ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON todos FOR SELECT TO authenticated
            USING (team = (SELECT current_setting('request.jwt.claims', true)::json ->> 'team'));
        """

    static func with(
        _ sql: String = todos,
        databaseURL: String? = nil,
        reads: Bool = true,
        _ body: (TestChanges) async throws -> Void
    ) async throws {
        let made = Mutex<(hub: ChangeHub, verifier: TokenVerifier)?>(nil)
        let application = try await TestApplication.start(sql: sql, databaseURL: databaseURL) { parts in
            let hub = ChangeHub(database: parts.database, logger: TestApplication.silent)
            made.withLock { $0 = (hub, parts.verifier) }
            let sync = SyncRoutes(database: parts.database, hub: hub).routes
            return [Function("realtime") { [ChangeEvents(hub: hub).route] + sync }]
        }
        let found = made.withLock { $0 }
        let (hub, verifier) = try #require(found)
        let changes = TestChanges(application: application, hub: hub, verifier: verifier)
        changes.running.start { await hub.run() }
        if reads { changes.startReader() }
        do {
            if reads { #expect(try await eventually(within: .seconds(60)) { hub.position != nil }) }
            try await body(changes)
        } catch {
            await changes.stop()
            throw error
        }
        await changes.stop()
    }

    @discardableResult
    func startReader(settings: ((inout ChangeSettings) -> Void)? = nil) -> ChangeReader {
        var values = ChangeSettings(url: url)
        values.recheck = .milliseconds(50)
        settings?(&values)
        let reader = ChangeReader(
            values,
            database: database,
            on: application.group.loops[0],
            logger: TestApplication.silent
        ) { [hub] in hub.look() }
        reading.start { await reader.run() }
        return reader
    }

    /// Ends those that were started.
    func stopReaders() async { await reading.stop() }

    func execute(_ sql: String) throws { try application.execute(sql) }

    func query(_ sql: String) throws -> [[String?]] { try BlockingConnection.connect(to: url).query(sql) }

    /// Ends the reader's session as a crash of its server would.
    func killReader() throws {
        try execute(
            """
            SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots
            WHERE database = current_database() AND active
            """
        )
    }

    /// What somebody with these claims is given.
    func subscriber(
        _ claims: JSONObject = ["role": "service_role"],
        _ request: ChangeRequest = ChangeRequest(table: "todos"),
        after position: ChangePosition? = nil
    ) async throws -> Received {
        let received = Received()
        let user = try User(payload: Array(JSONValue.object(claims).description.utf8))
        received.subscriber = try await hub.subscribe(to: [request], as: ChangeCaller(user), after: position) {
            received.add($0)
        }
        return received
    }

    private func stop() async {
        await reading.stop()
        await running.stop()
        for _ in 0..<100 {
            let slots = try? query(
                """
                SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database();
                """
            )
            _ = try? query(
                """
                SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
                WHERE database = current_database() AND NOT active
                """
            )
            if slots?.isEmpty == true { break }
            try? await Task.sleep(for: .milliseconds(20))
        }
        await application.stop()
    }

    private final class Tasks: Sendable {
        private let all = Mutex<[Task<Void, Never>]>([])

        func start(_ work: @escaping @Sendable () async -> Void) {
            all.withLock { $0.append(Task { await work() }) }
        }

        func stop() async {
            for task in all.withLock({ $0 }) { task.cancel() }
            for task in all.withLock({ $0 }) { await task.value }
        }
    }
}

/// The deliveries of one subscriber. It can be told to take no more.
final class Received: Sendable {
    private struct State {
        var deliveries: [ChangeDelivery] = []
        var room = Int.max
        var subscriber: ChangeSubscriber?
    }

    private let state = Mutex(State())

    var subscriber: ChangeSubscriber? {
        get { state.withLock(\.subscriber) }
        set { state.withLock { $0.subscriber = newValue } }
    }

    func add(_ delivery: ChangeDelivery) -> Bool {
        state.withLock { state in
            guard state.room > 0 else { return false }
            state.room -= 1
            state.deliveries.append(delivery)
            return true
        }
    }

    /// Takes so many more.
    func setRoom(_ room: Int) {
        state.withLock { $0.room = room }
        if room > 0 { subscriber?.resume() }
    }

    var deliveries: [ChangeDelivery] { state.withLock(\.deliveries) }

    var positions: [ChangePosition] { deliveries.map(\.position) }

    var resets: Int {
        deliveries.count { if case .reset = $0 { true } else { false } }
    }

    /// The changes' JSON.
    var changes: [JSONValue] {
        deliveries.compactMap { delivery in
            guard case .change(_, _, _, let data) = delivery else { return nil }
            return try? JSONParser.parse(data)
        }
    }

    /// `INSERT 1`, `DELETE 2`.
    var summary: [String] {
        changes.map { change in
            let row = change["record"] ?? change["old_record"]
            return "\(change["type"]?.string ?? "?") \(row?["id"]?.int ?? -1)"
        }
    }

    /// Waits until so many have come.
    func wait(for count: Int) async throws {
        let isThere = try await eventually(within: .seconds(60)) { deliveries.count >= count }
        #expect(isThere, "\(deliveries.count) of \(count)")
    }
}
