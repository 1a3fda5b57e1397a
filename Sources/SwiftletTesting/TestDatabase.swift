import Foundation
import Jobs
package import Migrations
import Postgres
import Rest
import SignIn

/// Databases for tests, on the server in `SWIFTLET_TEST_DATABASE_URL` or on a temporary one.
///
/// The temporary server is started on first use, once per test process, and ends with it. On the named server, the
/// databases are dropped when the process exits.
package enum TestDatabase {
    /// A superuser's URL of the server; nil if there is none and none can be started.
    package static let url: String? = try? server.get().url

    /// Creates a database with all migrations, as a copy of a template, and returns its URL.
    package static func create() throws -> String { try server.get().create(template: template.get()) }

    /// Creates an empty database and returns its URL.
    package static func createEmpty() throws -> String { try server.get().create(template: "template0") }

    /// The folder of the repository's migrations.
    package static let migrations = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "migrations").path

    /// The migrations of the server, then those of the repository's functions.
    package static func files() throws -> [MigrationFile] {
        try MigrationFile.embedded(
            ServerMigrations.texts + SignInMigrations.texts + RestMigrations.texts + JobsMigrations.texts
        )
            + MigrationFolder(path: migrations).load()
    }

    private static let server: Result<TestPostgres, any Error> = Result { try TestPostgres.start() }

    private static let template: Result<String, any Error> = Result {
        let server = try Self.server.get()
        let url = try server.create(template: "template0")
        try Migrator(url: url, files: files()).apply()
        return server.name(of: url)
    }
}
