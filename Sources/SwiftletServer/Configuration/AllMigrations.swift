import Jobs
import Migrations
import Rest
import SignIn

/// The migrations of the server, which are part of the binary, and those of the app's folder behind them.
enum AllMigrations {
    /// The server's own only, for an app that has none. `folder` is `MIGRATIONS_DIR`, see ``Migrations/MigrationFolder/find(_:workingDirectory:program:)``.
    static func load(_ folder: String?) throws(MigrationError) -> [MigrationFile] {
        let own = try MigrationFile.embedded(
            ServerMigrations.texts + SignInMigrations.texts + RestMigrations.texts + JobsMigrations.texts
        )
        guard RunningApp.current.hasMigrations else { return own }
        return try own + MigrationFolder.find(folder).load()
    }
}
