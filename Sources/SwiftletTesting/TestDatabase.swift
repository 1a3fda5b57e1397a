import Foundation
import Migrations
import Postgres

/// A PostgreSQL for tests: the server that SWIFTLET_TEST_DATABASE_URL names, else a throw-away one of our own.
///
/// The own server is started on first use, once per test process, and ends with the process, however that ends. On the
/// named server the databases made here are dropped when the process exits.
package enum TestDatabase {
    /// A superuser's URL of the server; nil when there is no server and none can be started.
    package static let url: String? = try? server.get().url

    /// A fresh database with all migrations applied; its URL. Cheap: a copy of one that was migrated once.
    package static func create() throws -> String { try server.get().create(template: template.get()) }

    /// A fresh database without any table; its URL.
    package static func createEmpty() throws -> String { try server.get().create(template: "template0") }

    /// The repository's migrations.
    package static let migrations = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "migrations").path

    private static let server: Result<TestServer, any Error> = Result { try TestServer.start() }

    private static let template: Result<String, any Error> = Result {
        let server = try Self.server.get()
        let url = try server.create(template: "template0")
        try Migrator(url: url, files: MigrationFolder(path: migrations).load()).apply()
        return server.name(of: url)
    }
}
