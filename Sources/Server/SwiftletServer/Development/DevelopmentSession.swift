import SwiftletAuth
import SwiftletEmbeddedPostgres
import SwiftletEssentials
import SwiftletMigrations
import SwiftletPostgres

/// One run of `swiftlet dev`: its configuration, its database, its banner.
struct DevelopmentSession: Sendable {
    let configuration: Configuration
    /// With what was not set and is made for development.
    let environment: Environment
    private let app: RunningApp
    private let folder: DevelopmentFolder
    private let embedded: DevelopmentDatabase?
    private let secret: String?

    init(
        _ app: RunningApp,
        _ environment: Environment,
        _ folder: DevelopmentFolder,
        _ embedded: DevelopmentDatabase?
    ) throws {
        self.app = app
        var environment = environment
        if let embedded { environment = environment.with("DATABASE_URL", default: embedded.url) }
        if !environment.hasKeys { environment = environment.with("JWT_SECRET", default: try folder.makeSecret()) }
        if environment["S3_BUCKET"] == nil { environment = environment.with("STORAGE_PATH", default: folder.storage) }
        secret = environment.jwtSecret
        var configuration = try Configuration(environment, mode: .development)
        configuration.inheritedSocket = WatchedServer.inheritedSocket
        self.configuration = configuration
        self.environment = environment
        self.folder = folder
        self.embedded = embedded
    }

    /// Throws for invalid settings and missing migrations before a database is created.
    static func validate(_ environment: Environment) throws(ConfigurationError) {
        let placeholder = String(repeating: "x", count: TokenSettings.minimumSecretBytes)
        var complete = environment.with("DATABASE_URL", default: "postgresql:///")
        if !environment.hasKeys { complete = complete.with("JWT_SECRET", default: placeholder) }
        let configuration = try Configuration(complete, mode: .development)
        do {
            _ = try AllMigrations.load(configuration.migrationsFolder)
        } catch {
            throw ConfigurationError(error)
        }
    }

    /// Applies migrations, and inserts demo data into an empty database.
    func prepareDatabase() throws {
        let url = configuration.database.url
        do {
            let files = try AllMigrations.load(configuration.migrationsFolder)
            try Migrator(url: url, files: files).apply { Terminal.say("applied \($0)") }
            if try DemoData.insert(app.demoData, into: url) { Terminal.say("inserted demo data") }
            if try DemoAccounts.insert(into: url) { Terminal.say("inserted demo accounts") }
            if let seed = SeedScript(folder.seed), try seed.runOnce(in: url) { Terminal.say("ran seed.sql") }
        } catch {
            throw ConfigurationError(error)
        }
    }

    /// For other commands of this folder.
    func remember(port: Int) {
        let url = LocalURL(host: configuration.host, port: String(port), isSecure: configuration.tls != nil)
        try? RunningServer(process: Int(getpid()), port: port, url: "\(url)").write(in: folder)
    }

    func printBanner(port: Int) {
        let server = LocalURL(host: configuration.host, port: String(port), isSecure: configuration.tls != nil)
        let url = server.description
        let database =
            embedded.map { "private PostgreSQL, psql '\($0.url)'" } ?? configuration.database.description
        Terminal.say(
            """

            Swiftlet \(Version.text) serves \(url)
            \(consoleLink(url))Docs: \(url)/docs
            Database: \(database)
            \(keys)\(appHint)            \(examples(url))
            Ctrl-C stops \(embedded == nil ? "it" : "both").

            """
        )
    }

    /// A line with the link that enters the console; nothing where there is none.
    private func consoleLink(_ url: String) -> String {
        let own = configuration.console.listen.map {
            LocalURL(host: $0.host, port: "\($0.port)", isSecure: configuration.tls != nil).description
        }
        guard configuration.console.isOn,
            let link = try? ConsoleLink.make(at: own ?? url, in: configuration.database.url)
        else {
            return ""
        }
        return "Console: \(link)\n"
    }

    /// What clients are configured with.
    private var keys: String {
        let keys = ClientKeys(environment)
        return [("Anon key", keys.anonymous), ("Service key", keys.service)]
            .compactMap { name, key in key.map { "\(name): \($0)\n" } }.joined()
    }

    /// Where the folder has the migrations of no app.
    private var appHint: String {
        guard app.functions.isEmpty else { return "" }
        return "\nThe platform alone is served. A backend of your own begins with: swiftlet new my-backend\n"
    }

    private func examples(_ url: String) -> String {
        let login = DemoAccounts.exist(in: configuration.database.url) ? "\n\(loginExample(url))" : ""
        return tokenExamples(url) + login
    }

    private func loginExample(_ url: String) -> String {
        """
        Sign in as \(DemoAccounts.email) with the password \(DemoAccounts.password):
          curl -H 'Content-Type: application/json' \
        -d '{"email":"\(DemoAccounts.email)","password":"\(DemoAccounts.password)"}' \(url)/mobile-auth/login

        """
    }

    private func tokenExamples(_ url: String) -> String {
        let now = Int(Date().timeIntervalSince1970)
        guard let secret, let token = try? DemoData.token(secret: Secret(secret), now: now) else {
            return "Tokens come from elsewhere (JWT_JWKS); without one: curl \(url)/health"
        }
        try? folder.writeAuthorization(token: token)
        let file = ShellWord("@\(folder.authorization)")
        let requests = app.examples.map { "  curl -H \(file) \($0.replacing("{url}", with: url))\n" }.joined()
        return """

            A token for Ada of Acme Copiers, valid for seven days:
              \(token)

            Try:
              curl -i \(url)/health
            \(requests)
            """
    }
}
