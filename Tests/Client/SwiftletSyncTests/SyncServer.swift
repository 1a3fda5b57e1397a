import Foundation
import SwiftletAuth
import SwiftletClient
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletHTTPServer
import SwiftletPostgres
import SwiftletSync
import SwiftletTesting
import SwiftletWeb
import Synchronization
import Testing

@testable import SwiftletRealtime

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server of `/realtime/v1/sync` that can be restarted, with notes of teams: who sees a note is in another table.
final class SyncServer: Sendable {
    static let schema = """
        CREATE TABLE members (user_id text, team text, PRIMARY KEY (user_id, team));
        CREATE TABLE notes (
            id uuid PRIMARY KEY, team text NOT NULL, title text CHECK (title <> 'bad'), rank int, amount numeric,
            made_at timestamptz NOT NULL DEFAULT '2026-01-02 03:04:05+00'
        );
        CREATE TABLE log (number bigserial PRIMARY KEY, id uuid, title text);
        ALTER TABLE members ENABLE ROW LEVEL SECURITY;
        ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON members FOR SELECT TO authenticated
            USING (user_id = (SELECT current_setting('request.jwt.claims', true)::json ->> 'sub'));
        CREATE POLICY team ON notes FOR ALL TO authenticated USING (team IN (SELECT team FROM members));
        GRANT SELECT ON members TO authenticated;
        GRANT ALL ON notes TO authenticated;
        CREATE FUNCTION write_log() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO log (id, title) VALUES (NEW.id, NEW.title);
            RETURN NEW;
        END $$;
        CREATE TRIGGER write_log BEFORE INSERT OR UPDATE OF title ON notes FOR EACH ROW EXECUTE FUNCTION write_log();
        SELECT swiftlet.enable_sync('notes');
        """

    private struct Running {
        let application: TestApplication
        let server: HTTPServer
        let hub: ChangeHub
        let tasks: [Task<Void, Never>]
    }

    let databaseURL: String
    let port: Int
    private let maximumLogBytes: Int?
    private let running: Mutex<Running?>

    static func with(
        _ sql: String = schema,
        maximumLogBytes: Int? = nil,
        _ body: (SyncServer) async throws -> Void
    ) async throws {
        let url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute(sql)
        let first = try await start(url, port: unassignedPort() ?? 0, maximumLogBytes)
        let server = SyncServer(url, maximumLogBytes, first)
        do {
            try await server.isReading()
            try await body(server)
        } catch {
            await server.end()
            throw error
        }
        await server.end()
    }

    private init(_ url: String, _ maximumLogBytes: Int?, _ first: Running) {
        databaseURL = url
        self.maximumLogBytes = maximumLogBytes
        port = first.server.localPort
        running = Mutex(first)
    }

    private static func start(_ url: String, port: Int, _ maximumLogBytes: Int?) async throws -> Running {
        let hub = Mutex<ChangeHub?>(nil)
        let application = try await TestApplication.start(databaseURL: url) { parts in
            let made = ChangeHub(database: parts.database, logger: TestApplication.silent)
            hub.withLock { $0 = made }
            let routes = SyncRoutes(database: parts.database, hub: made).routes
            return [Function("realtime") { routes }.keepingDates()]
        }
        let found = hub.withLock { $0 }
        let told = try #require(found)
        var settings = ChangeSettings(url: url)
        settings.recheck = .milliseconds(50)
        if let maximumLogBytes { settings.maximumLogBytes = maximumLogBytes }
        let reader = ChangeReader(
            settings,
            database: application.database,
            on: application.group.loops[0],
            logger: TestApplication.silent
        ) { told.look() }
        let web = application.application
        var configuration = HTTPServerConfiguration()
        configuration.port = port
        let handler = HTTPHandler(respond: { await web.respond(to: $0) }, refuse: { Response(status: $0.status) })
        let server = try await listeningAgain {
            try HTTPServer.start(configuration, on: application.group, handler: handler)
        }
        let tasks = [Task { await told.run() }, Task { await reader.run() }]
        return Running(application: application, server: server, hub: told, tasks: tasks)
    }

    func isReading() async throws {
        let isThere = try await eventually(within: .seconds(60)) { self.running.withLock { $0?.hub.position } != nil }
        #expect(isThere)
    }

    /// Ends as by a crash: nothing is said to anybody.
    func stop() async {
        let current = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let current else { return }
        for task in current.tasks { task.cancel() }
        await current.server.shutdown(grace: .zero)
        for task in current.tasks { await task.value }
        await current.application.stop()
    }

    func startAgain() async throws {
        let next = try await Self.start(databaseURL, port: port, maximumLogBytes)
        running.withLock { $0 = next }
    }

    private func end() async {
        await stop()
        for _ in 0..<100 {
            let left = try? query(
                """
                SELECT CASE WHEN active THEN pg_terminate_backend(active_pid) ELSE
                    pg_drop_replication_slot(slot_name) IS NULL END
                FROM pg_replication_slots WHERE database = current_database()
                """
            )
            if left?.isEmpty == true { break }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    func execute(_ sql: String) throws { try BlockingConnection.connect(to: databaseURL).execute(sql) }

    func query(_ sql: String) throws -> [[String?]] { try BlockingConnection.connect(to: databaseURL).query(sql) }

    // MARK: - Apps

    /// Signed in as somebody, with more claims if need be.
    func client(_ user: String, transport: (any Transport)? = nil, claims: String = "") async throws -> APIClient {
        let payload = #"{"sub":"\#(user)","role":"authenticated","exp":4102444800\#(claims)}"#
        let token = try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
        let session = #"{"accessToken":"\#(token)","refreshToken":"none","user":{"id":"\#(user)"}}"#
        let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
        var configuration = APIClient.Configuration(baseURL: base)
        configuration.retry.attempts = 1
        configuration.retry.sleep = { _ in try await Task.sleep(for: .milliseconds(20)) }
        let tokens = InMemoryTokenStore(["session": Data(session.utf8)])
        return APIClient(configuration: configuration, tokens: tokens, transport: transport)
    }
}

struct Note: Codable, Sendable, Hashable {
    var id = UUID()
    var team: String
    var title: String?
    var rank: Int?
}

/// A folder for the stores of one test.
final class StoreFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "swiftlet-sync-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func store(_ client: APIClient, _ name: String = "store") throws -> SyncStore {
        try SyncStore(client, tables: [SyncedTable("notes")], directory: url.appending(path: name))
    }
}

/// The network, which loses requests and answers when it is told to.
actor FaultyTransport: Transport {
    enum Fault: Sendable {
        case loseRequest, loseAnswer
    }

    private let session = URLSession(configuration: .ephemeral)
    private var next: [Fault?] = []

    func plan(_ faults: [Fault?]) { next = faults }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let fault = next.isEmpty ? nil : next.removeFirst()
        if fault == .loseRequest { throw URLError(.notConnectedToInternet) }
        let answer = try await session.send(request)
        if fault == .loseAnswer { throw URLError(.networkConnectionLost) }
        return answer
    }
}
