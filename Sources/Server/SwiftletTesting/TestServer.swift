import Foundation
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletHTTPServer
import SwiftletPostgres
import SwiftletRealtime
import SwiftletWeb
import Synchronization

/// An application on a port, which can be ended as by a crash and started again at the same address.
final class TestServer: Sendable {
    struct Running: Sendable {
        let application: TestApplication
        let server: HTTPServer
        let tasks: [Task<Void, Never>]

        fileprivate func crash() async {
            for task in tasks { task.cancel() }
            await server.shutdown(grace: .zero)
            for task in tasks { await task.value }
            await application.stop()
        }
    }

    let address: URL
    private let port: Int
    private let make: @Sendable (_ port: Int) async throws -> Running
    private let running: Mutex<(running: Running, isUp: Bool)>

    /// Port 0 is one that the system chooses.
    static func start(_ make: @escaping @Sendable (_ port: Int) async throws -> Running) async throws -> TestServer {
        let first = try await make(0)
        let port = first.server.localPort
        guard let address = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
        return TestServer(address, port, first, make)
    }

    private init(
        _ address: URL,
        _ port: Int,
        _ first: Running,
        _ make: @escaping @Sendable (_ port: Int) async throws -> Running
    ) {
        self.address = address
        self.port = port
        self.make = make
        running = Mutex((first, true))
    }

    /// The one that runs, or has run last.
    var application: TestApplication { running.withLock(\.running.application) }

    func crash() async {
        let current = running.withLock { state in
            defer { state.isUp = false }
            return state.isUp ? state.running : nil
        }
        await current?.crash()
    }

    func startAgain() async throws {
        let next = try await make(port)
        running.withLock { $0 = (next, true) }
    }

    func end() async {
        await crash()
        try? await dropSlots()
    }

    /// Of this database: a cluster has few, and they would keep its log.
    private func dropSlots() async throws {
        for _ in 0..<100 {
            let left = try BlockingConnection.connect(to: application.databaseURL).query(
                """
                SELECT CASE WHEN active THEN pg_terminate_backend(active_pid)
                    ELSE pg_drop_replication_slot(slot_name) IS NULL END
                FROM pg_replication_slots WHERE database = current_database()
                """
            )
            if left.isEmpty { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension TestApplication {
    /// Serves on a port, and reads changes.
    func serve(_ hub: ChangeHub, on port: Int) async throws -> TestServer.Running {
        var settings = ChangeSettings(url: databaseURL)
        settings.recheck = .milliseconds(50)
        let reader = ChangeReader(
            settings,
            database: database,
            on: group.loops[0],
            logger: Self.silent,
            onChanges: { hub.look() }
        )
        var configuration = HTTPServerConfiguration()
        configuration.port = port
        let web = application
        let handler = HTTPHandler(
            respond: { await web.respond(to: $0) },
            streamingLimit: { web.streamingLimit(of: $0) },
            refuse: { Response(status: $0.status) }
        )
        let server = try await listeningAgain { try HTTPServer.start(configuration, on: group, handler: handler) }
        let tasks = [Task { await hub.run() }, Task { await reader.run() }]
        return TestServer.Running(application: self, server: server, tasks: tasks)
    }
}
