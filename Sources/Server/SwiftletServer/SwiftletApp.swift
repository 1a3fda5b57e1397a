import ArgumentParser
import SwiftletAuth
public import Swiftlet

/// An app's backend: its functions, and what `dev` shows of them.
///
///     import SwiftletServer
///
///     @main struct Backend: SwiftletApp {
///         let functions: [Function] = [notes]
///     }
///
/// The program is then a whole server with all commands: `serve`, `dev`, `migrate`, `users`, `doctor` and so on. The
/// app's migrations are the SQL files in the folder `migrations`, see `migrate --help`; the server's own tables come
/// with the binary.
public protocol SwiftletApp: Sendable {
    init()

    /// What is served below `/`, `/api` and `/functions/v1`, in any order. Two of one name are refused at the start.
    var functions: [Function] { get }

    /// Environment variables that the handlers read by their ``ContextKey``s.
    var settings: [Setting] { get }

    /// Apps that are served beside ``functions``, each with its migrations in a folder of its name, and each left out if
    /// `APPS` does not name it. By default there are none.
    var apps: [App] { get }

    /// Whether the app has tables of its own: SQL files in the folder `migrations`, without which no command that applies
    /// them starts. By default it has.
    var hasMigrations: Bool { get }

    /// SQL that `dev` runs once, in a new database and after all migrations, in one transaction. The table
    /// `pg_temp.people` holds eight people of each of the tenants `acme` and `nordlicht` then, who have accounts;
    /// `pg_temp.person(tenant, number)` is the id of one.
    var demoData: [String] { get }

    /// What `dev` shows below "Try": arguments of `curl` behind the token, with `{url}` for the server's address.
    var examples: [String] { get }

    /// What `/docs` and `/openapi.json` say of functions and routes: what `swiftlet generate summaries` makes of the doc
    /// comments of handlers.
    var summaries: [String: String] { get }
}

extension SwiftletApp {
    public var functions: [Function] { [] }

    public var settings: [Setting] { [] }

    public var apps: [App] { [] }

    public var hasMigrations: Bool { true }

    public var demoData: [String] { [] }

    public var examples: [String] { [] }

    public var summaries: [String: String] { [:] }

    /// Runs the command that the program's arguments name.
    // On the main thread, as others would open descriptors before the standard streams are there.
    @MainActor
    public static func main() async {
        StandardStreams.open()
        OpenSSLLibrary.outliveExit()
        if let suggestion = CommandSuggestion.find(Array(CommandLine.arguments.dropFirst())) {
            Terminal.warn(suggestion)
            SwiftletCommand.exit(withError: ExitCode.validationFailure)
        }
        do {
            // A file that cannot be read is the command's to report.
            let selection = (try? Environment.current())?["APPS"]
            let app = try RunningApp(Self(), serving: selection)
            await RunningApp.$current.withValue(app) { await SwiftletCommand.main(nil) }
        } catch {
            Terminal.warn(String(describing: error))
            SwiftletCommand.exit(withError: Terminal.configurationFault)
        }
    }
}

extension RunningApp {
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
