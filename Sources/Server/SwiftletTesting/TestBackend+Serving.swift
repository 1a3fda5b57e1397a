public import Foundation
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletHTTPServer
import SwiftletMigrations
import SwiftletPostgres
import SwiftletRealtime
public import SwiftletWeb
import Synchronization

extension TestBackend {
    /// The same on a port of this machine, with changes of rows and offline sync (`/realtime/v1/changes` and `/sync`), for
    /// the clients that apps are made with. `body` gets the address.
    public static func serving(
        functions: [Function],
        migrations folder: String = "migrations",
        values: ContextValues = ContextValues(),
        _ body: (URL, TestBackend) async throws -> Void
    ) async throws {
        let url = try TestDatabase.createEmpty()
        try Migrator(url: url, files: TestDatabase.platformFiles() + MigrationFolder(path: folder).load()).apply()
        let made = Mutex<ChangeHub?>(nil)
        let application = try await TestApplication.start(databaseURL: url, values: values) { parts in
            let hub = ChangeHub(database: parts.database, logger: TestApplication.silent)
            made.withLock { $0 = hub }
            let routes = [ChangeEvents(hub: hub).route] + SyncRoutes(database: parts.database, hub: hub).routes
            return functions + [Function("realtime") { routes }.keepingDates()]
        }
        do {
            guard let hub = made.withLock({ $0 }) else { return }
            try await application.serve(hub) { address in
                try await body(address, TestBackend(application: application))
            }
        } catch {
            await application.stop()
            throw error
        }
        await application.stop()
    }
}

extension TestApplication {
    /// Serves on a port and reads changes for the length of `body`.
    fileprivate func serve(_ hub: ChangeHub, _ body: (URL) async throws -> Void) async throws {
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
        configuration.port = 0
        let web = application
        let handler = HTTPHandler(
            respond: { await web.respond(to: $0) },
            streamingLimit: { web.streamingLimit(of: $0) },
            refuse: { Response(status: $0.status) }
        )
        let server = try HTTPServer.start(configuration, on: group, handler: handler)
        let running = [Task { await hub.run() }, Task { await reader.run() }]
        func end() async {
            for task in running { task.cancel() }
            await server.shutdown(grace: .zero)
            for task in running { await task.value }
            try? await dropSlots()
        }
        do {
            guard let address = URL(string: "http://127.0.0.1:\(server.localPort)") else { return await end() }
            try await body(address)
        } catch {
            await end()
            throw error
        }
        await end()
    }

    /// Of this database: a cluster has few, and they would keep its log.
    private func dropSlots() async throws {
        for _ in 0..<100 {
            let left = try BlockingConnection.connect(to: databaseURL).query(
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
