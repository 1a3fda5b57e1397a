import Migrations
import SignIn

/// The migrations of the server, which are part of the binary, and those of the app's folder behind them.
enum AllMigrations {
    /// `folder` is `MIGRATIONS_DIR`, see ``Migrations/MigrationFolder/find(_:workingDirectory:program:)``.
    static func load(_ folder: String?) throws(MigrationError) -> [MigrationFile] {
        try MigrationFile.embedded(ServerMigrations.texts + SignInMigrations.texts)
            + MigrationFolder.find(folder).load()
    }
}
