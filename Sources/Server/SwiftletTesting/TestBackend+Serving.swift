public import Foundation
import SwiftletHTTP
import SwiftletMigrations
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
        let server = try await TestServer.start { port in
            let made = Mutex<ChangeHub?>(nil)
            let application = try await TestApplication.start(databaseURL: url, values: values) { parts in
                let hub = ChangeHub(database: parts.database, logger: TestApplication.silent)
                made.withLock { $0 = hub }
                let routes = [ChangeEvents(hub: hub).route] + SyncRoutes(database: parts.database, hub: hub).routes
                return functions + [Function("realtime") { routes }.keepingDates()]
            }
            guard let hub = made.withLock({ $0 }) else { throw CancellationError() }
            return try await application.serve(hub, on: port)
        }
        do {
            try await body(server.address, TestBackend(server: server))
        } catch {
            await server.end()
            throw error
        }
        await server.end()
    }

    /// Ends the server as a crash would, without a word to anybody, and starts it again at the same address behind `body`:
    /// what an app does meanwhile it does offline. Of a backend that is not on a port, nothing ends.
    public func withoutServer(_ body: () async throws -> Void) async throws {
        await server?.crash()
        do {
            try await body()
        } catch {
            try await server?.startAgain()
            throw error
        }
        try await server?.startAgain()
    }
}
