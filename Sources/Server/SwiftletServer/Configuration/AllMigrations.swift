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

    /// What an operator should know before it is applied while other servers run; what this program does not know, and
    /// the database does.
    static func notes(on plan: MigrationPlan) -> [String] {
        let unknown = plan.unknown.filter { isServed($0.owner) }.map(\.name)
        let older =
            unknown.isEmpty
            ? []
            : [
                """
                \(unknown.count) migrations are applied that this program does not have: \
                \(unknown.joined(separator: ", ")); it is older than the database
                """
            ]
        return older + plan.hazards.map(\.description)
    }

    /// Whether its migrations are among those that this program loads.
    private static func isServed(_ owner: String) -> Bool {
        if rooms.contains(where: { $0.1 == owner }) { return true }
        let app = RunningApp.current
        return app.hasMigrations && !app.omittedApps.contains(owner)
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
