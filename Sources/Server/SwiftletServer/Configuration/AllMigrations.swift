import SwiftletConsole
import SwiftletFiles
import SwiftletJobs
import SwiftletMigrations
import SwiftletRealtime
import SwiftletRest
import SwiftletSignIn
import SwiftletWebhooks

/// The migrations of the server, which are part of the binary, and those of the app's folder behind them.
enum AllMigrations {
    /// The server's own only, for an app that has none. `folder` is `MIGRATIONS_DIR`, see ``Migrations/MigrationFolder/find(_:workingDirectory:program:)``.
    static func load(_ folder: String?) throws(MigrationError) -> [MigrationFile] {
        let own = try platform()
        let app = RunningApp.current
        guard app.hasMigrations else { return own }
        return try own + MigrationFolder.find(folder).load(omitting: app.omittedApps)
    }

    /// The server's own only.
    static func platform() throws(MigrationError) -> [MigrationFile] {
        var own: [MigrationFile] = []
        for (texts, owner) in rooms { own += try MigrationFile.embedded(texts, owner: owner) }
        return own
    }

    /// What others build on comes first.
    private static let rooms = [
        (ServerMigrations.texts, ServerMigrations.owner), (SignInMigrations.texts, SignInMigrations.owner),
        (RestMigrations.texts, RestMigrations.owner), (JobsMigrations.texts, JobsMigrations.owner),
        (FilesMigrations.texts, FilesMigrations.owner),
        (RealtimeMigrations.texts, RealtimeMigrations.owner),
        (ConsoleMigrations.texts, ConsoleMigrations.owner),
        (WebhooksMigrations.texts, WebhooksMigrations.owner),
    ]
}
