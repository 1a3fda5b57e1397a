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
            let environment = (try? Environment.current()) ?? Environment([:])
            let app = try RunningApp(Self(), environment, isDevelopment: isDevelopment)
            await RunningApp.$current.withValue(app) { await SwiftletCommand.main(nil) }
        } catch {
            Terminal.warn(String(describing: error))
            SwiftletCommand.exit(withError: Terminal.configurationFault)
        }
    }

    /// Whether the command is `dev`, or one that is asked beside a `dev` that runs in this folder.
    private static var isDevelopment: Bool {
        let command = CommandLine.arguments.dropFirst().first
        return command == "dev" || (command != "serve" && RunningServer.find(in: DevelopmentFolder()) != nil)
    }
}
