/// One of several apps that a program can serve: its functions, demo data and proposals.
///
/// Its tables are the SQL files in the folder of its name below `migrations`. `APPS` names the apps that a server
/// serves; without it, it serves them all.
public struct App: Sendable {
    /// As in `APPS` and as the folder with its migrations: `field-service`.
    public let name: String
    public let functions: [Function]
    /// Environment variables that its handlers read by their ``ContextKey``s.
    public let settings: [Setting]
    /// SQL that `dev` runs once in a new database, see `SwiftletApp.demoData`.
    public let demoData: [String]
    /// Arguments of `curl` that `dev` proposes, with `{url}` for the server's address.
    public let examples: [String]
    /// What `/docs` says of functions and routes, see `swiftlet generate summaries`.
    public let summaries: [String: String]

    public init(
        _ name: String,
        functions: [Function] = [],
        settings: [Setting] = [],
        demoData: [String] = [],
        examples: [String] = [],
        summaries: [String: String] = [:]
    ) {
        self.summaries = summaries
        self.name = name
        self.functions = functions
        self.settings = settings
        self.demoData = demoData
        self.examples = examples
    }
}
