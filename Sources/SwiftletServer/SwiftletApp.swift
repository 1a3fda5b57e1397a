import ArgumentParser
import Auth
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

    /// Whether the app has tables of its own: SQL files in the folder `migrations`, without which no command that applies
    /// them starts. By default it has.
    var hasMigrations: Bool { get }

    /// SQL that `dev` runs once, in a new database and after all migrations, in one transaction. The tenants `acme` and
    /// `nordlicht` with eight users each are there by then; `pg_temp.person(tenant, number)` is the id of a user.
    var demoData: [String] { get }

    /// What `dev` shows below "Try": arguments of `curl` behind the token, with `{url}` for the server's address.
    var examples: [String] { get }
}

extension SwiftletApp {
    public var hasMigrations: Bool { true }

    public var demoData: [String] { [] }

    public var examples: [String] { functions.first.map { ["{url}/\($0.name)"] } ?? [] }

    /// Runs the command that the program's arguments name.
    // On the main thread, as others would open descriptors before the standard streams are there.
    @MainActor
    public static func main() async {
        StandardStreams.open()
        OpenSSLLibrary.outliveExit()
        await RunningApp.$current.withValue(RunningApp(Self())) { await SwiftletCommand.main(nil) }
    }
}

extension RunningApp {
    init(_ app: some SwiftletApp) {
        self.init(
            functions: app.functions,
            hasMigrations: app.hasMigrations,
            demoData: app.demoData,
            examples: app.examples
        )
    }
}
