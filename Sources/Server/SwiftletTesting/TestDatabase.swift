import Foundation
import SwiftletConsole
import SwiftletFiles
import SwiftletJobs
package import SwiftletMigrations
import SwiftletPostgres
import SwiftletRealtime
import SwiftletRest
import SwiftletSignIn
import SwiftletWebhooks

/// Databases for tests, on the server in `SWIFTLET_TEST_DATABASE_URL` or on a temporary one.
///
/// The temporary server is started on first use, once per test process, and ends with it. On the named server, the
/// databases that are left are dropped when the process exits.
package enum TestDatabase {
    /// A superuser's URL of the server; nil if there is none and none can be started.
    package static let url: String? = try? server.get().url

    /// Creates a database with all migrations, as a copy of a template, and returns its URL.
    package static func create() throws -> String { try server.get().create(template: template.get()) }

    /// Applies all migrations to a database of a server of the test's own.
    package static func migrate(_ url: String) throws { try Migrator(url: url, files: files()).apply() }

    /// Creates an empty database and returns its URL.
    package static func createEmpty() throws -> String { try server.get().create(template: "template0") }

    /// The folder of the repository's migrations.
    package static let migrations = Repository.root.appending(path: "migrations").path

    /// The migrations of the server, then those of the repository's apps.
    package static func files() throws -> [MigrationFile] {
        try platformFiles() + MigrationFolder(path: migrations).load()
    }

    /// The migrations that come with the server.
    package static func platformFiles() throws -> [MigrationFile] {
        try [
            (ServerMigrations.texts, ServerMigrations.owner), (SignInMigrations.texts, SignInMigrations.owner),
            (RestMigrations.texts, RestMigrations.owner), (JobsMigrations.texts, JobsMigrations.owner),
            (FilesMigrations.texts, FilesMigrations.owner),
            (RealtimeMigrations.texts, RealtimeMigrations.owner),
            (ConsoleMigrations.texts, ConsoleMigrations.owner),
            (WebhooksMigrations.texts, WebhooksMigrations.owner),
        ].flatMap { try MigrationFile.embedded($0, owner: $1) }
    }

    private static let server: Result<TestPostgres, any Error> = Result { try TestPostgres.start() }

    private static let template: Result<String, any Error> = Result {
        let server = try Self.server.get()
        let url = try server.create(template: "template0", isKept: true)
        try Migrator(url: url, files: files()).apply()
        return server.name(of: url)
    }
}
