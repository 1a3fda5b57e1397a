import Swiftlet
import SwiftletMigrations

extension RunningApp {
    /// What `APPS` selects. Without it `dev`, on its private database, serves the platform where there are migrations of
    /// none of the apps, and whatever SQL files are there.
    init(_ app: some SwiftletApp, _ environment: Environment, isDevelopment: Bool) throws(ConfigurationError) {
        let selection = environment["APPS"]
        // A watched server has the private database by its address.
        let isPrivate = environment["DATABASE_URL"] == nil || WatchedServer.inheritedSocket != nil
        let folder = try? MigrationFolder.find(nil)
        guard isDevelopment, isPrivate, selection == nil, environment["MIGRATIONS_DIR"] == nil, !app.apps.isEmpty,
            !app.apps.contains(where: { folder?.has($0.name) == true })
        else {
            try self.init(app, serving: selection)
            // A folder that is named is that of a team which has tables of its own, and none of the apps.
            if selection == "none", environment["MIGRATIONS_DIR"] != nil { hasMigrations = app.hasMigrations }
            return
        }
        try self.init(app, serving: "none")
        hasMigrations = folder != nil
    }

    /// `APPS` without a value serves all apps of the program; `none` serves none of them.
    init(_ app: some SwiftletApp, serving selection: String? = nil) throws(ConfigurationError) {
        let names = try Self.names(in: selection, of: app.apps)
        let served = app.apps.filter { names.contains($0.name) }
        functions = app.functions + served.flatMap(\.functions)
        settings = app.settings + served.flatMap(\.settings)
        hasMigrations = app.hasMigrations && (app.apps.isEmpty || !served.isEmpty || !app.functions.isEmpty)
        omittedApps = Set(app.apps.map(\.name)).subtracting(names)
        demoData = app.demoData + served.flatMap(\.demoData)
        summaries = served.reduce(app.summaries) { $0.merging($1.summaries) { first, _ in first } }
        examples = app.examples + served.flatMap(\.examples)
        if examples.isEmpty, let first = functions.first { examples = ["{url}/\(first.name)"] }
    }

    private static func names(in selection: String?, of apps: [App]) throws(ConfigurationError) -> Set<String> {
        let known = Set(apps.map(\.name))
        guard let selection, !apps.isEmpty else { return known }
        if selection == "none" { return [] }
        let names = selection.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
        guard let unknown = names.first(where: { !known.contains($0) }) else { return Set(names) }
        let choices = (known.sorted() + ["none"]).joined(separator: ", ")
        throw ConfigurationError(["APPS names \"\(unknown)\", which this program does not have: choose from \(choices)"]
        )
    }
}
