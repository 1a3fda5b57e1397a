import SwiftletAuth
import SwiftletEssentials
import SwiftletEventLoop
import SwiftletFiles
import SwiftletHTTPServer
import SwiftletJobs
import Logging
import SwiftletOutbound
import SwiftletRealtime
import SwiftletRest
import SwiftletSignIn
import SwiftletWeb
import SwiftletWebhooks

/// All settings, read once at start-up. docs/operations.md has a table of them, with their defaults.
struct Configuration: Sendable {
    enum Mode: Sendable { case serve, development }

    let mode: Mode
    /// Where clients wait while a watched server is started again.
    var inheritedSocket: CInt?
    let database: DatabaseSettings
    let tokens: TokenSettings
    let identity: IdentitySettings
    let hooks: HookSettings
    /// The providers that users are sent to.
    let redirects: RedirectSettings
    /// nil without a mailer.
    let mail: MailSettings?
    /// The certificate authorities for outgoing connections.
    let trust: Trust
    /// For the calls of functions to other services.
    let http: HTTPEngine.Settings
    let storage: StorageSettings
    /// How `/storage/v1` is served.
    let files: FilesSettings
    let backups: BackupSettings
    let jobs: JobSettings
    let webhooks: WebhookSettings
    let rates: RateSettings
    /// nil where none are recorded.
    let traces: TraceSettings?
    let push: PushSettings
    /// What the settings of apps fill.
    let values: ContextValues
    let signIn: SignInSettings
    /// nil without `/rest/v1`.
    let rest: RestSettings?
    /// nil without `/realtime/v1`.
    let realtime: RealtimeSettings?
    /// nil where this server reads no changes of rows itself.
    let changes: ChangeSettings?
    let host: String
    let port: Int
    let workers: Int
    let poller: PollerKind
    let allowedOrigins: [String]
    let pages: PageSettings
    let log: LogSettings
    let limits: LimitSettings
    let tls: TLSConfiguration?
    let migrationsFolder: String?
    /// What the `.env` file has for nobody, in words, to be said once.
    let notices: [String]
    let console: ConsoleConfiguration
    /// Every setting that was asked for, and what is known of it: values that may be secrets are masked.
    let summary: [SettingsReader.Summary]

    struct LogSettings: Sendable {
        let level: Logger.Level
        let format: RequestLog.Format
    }

    struct LimitSettings: Sendable {
        let bodyBytes: Int
        let connections: Int
        /// nil: by the kind of address.
        let connectionsPerAddress: Int?
        let request: Duration
        let header: Duration
        let idle: Duration
        let shutdownGrace: Duration
        /// How long connections are still taken after the signal to stop.
        let shutdownDelay: Duration
    }

    /// Reports all faults at once.
    init(
        _ environment: Environment,
        mode: Mode,
        machine: Machine = .current
    ) throws(ConfigurationError) {
        var reader = SettingsReader(environment)
        self.mode = mode
        database = DatabaseSettings(&reader)
        tokens = TokenSettings(&reader)
        identity = IdentitySettings(&reader)
        redirects = RedirectSettings(&reader)
        hooks = HookSettings(&reader)
        trust = Self.trust(&reader)
        http = HTTPEngine.Settings(&reader, trust: trust)
        storage = StorageSettings(&reader, trust: trust)
        files = FilesSettings.read(&reader)
        backups = BackupSettings(&reader, trust: trust)
        backups.refuse(within: storage, &reader)
        mail = MailSettings(
            &reader,
            hook: hooks.points[.sendEmail],
            siteURL: reader.text("SITE_URL"),
            externalURL: reader.text("API_EXTERNAL_URL"),
            trust: trust
        )
        jobs = JobSettings(&reader)
        webhooks = WebhookSettings(&reader)
        push = PushSettings(&reader, mode: mode)
        values = reader.values(of: RunningApp.current.settings)
        signIn = SignInSettings(&reader, cores: machine.cores)
        rates = RateSettings(&reader, trusting: signIn.trustedProxies)
        rest = RestSettings.read(&reader)
        traces = TraceSettings.read(&reader)
        changes = ChangeSettings.read(&reader, database)
        realtime = RealtimeSettings.read(&reader, trust)
        host = reader.text("HOST") ?? (mode == .serve ? "0.0.0.0" : "127.0.0.1")
        port = reader.integer("PORT", default: 8000, in: 0...65535)
        workers = Self.workers(&reader, database, machine)
        let pollers = PollerKind.allCases.map(\.rawValue).joined(separator: ", ")
        poller = reader.read("SWIFTLET_POLLER", default: .default, accepted: "one of \(pollers)") {
            PollerKind(rawValue: $0.lowercased())
        }
        allowedOrigins = Self.origins(&reader)
        pages = PageSettings(&reader, port: port)
        log = LogSettings(
            level: reader.choice(
                "LOG_LEVEL",
                default: .info,
                ["debug": .debug, "info": .info, "warning": .warning, "error": .error]
            ),
            format: reader.choice(
                "LOG_FORMAT",
                default: machine.isTerminal ? .text : .json,
                ["json": .json, "text": .text]
            )
        )
        limits = LimitSettings(
            bodyBytes: reader.integer("MAX_BODY_BYTES", default: 1_048_576, in: 0...1_073_741_824),
            connections: reader.integer("MAX_CONNECTIONS", default: 10000, in: 1...1_000_000),
            connectionsPerAddress: reader.limit("MAX_CONNECTIONS_PER_ADDRESS", in: 1...1_000_000),
            request: reader.duration("REQUEST_TIMEOUT", default: .seconds(30)),
            header: reader.duration("HEADER_TIMEOUT", default: .seconds(10)),
            idle: reader.duration("IDLE_TIMEOUT", default: .seconds(75)),
            shutdownGrace: reader.duration("SHUTDOWN_GRACE", default: .seconds(10)),
            shutdownDelay: reader.read(
                "SHUTDOWN_DELAY",
                default: .zero,
                accepted: "a time up to one hour: 0, 5, 5s or 500ms"
            ) { $0 == "0" ? .zero : Setting.duration($0) }
        )
        tls = Self.tls(&reader)
        migrationsFolder = reader.text("MIGRATIONS_DIR")
        console = ConsoleConfiguration(&reader, mode: mode, hasTLS: tls != nil)
        summary = reader.summary(more: ["HOST": host, "MIGRATIONS_DIR": migrationsFolder])
        try reader.finish()
        notices = reader.notices
    }

    /// Each event loop needs two database connections, which limits the number of loops.
    private static func workers(
        _ reader: inout SettingsReader,
        _ database: DatabaseSettings,
        _ machine: Machine
    ) -> Int {
        let cores = database.isLocal ? max(1, machine.cores / 2) : machine.cores
        guard let connections = database.connections else {
            return reader.integer("WORKERS", default: cores, in: 1...256)
        }
        let workers = reader.integer("WORKERS", default: min(cores, connections / 2), in: 1...256)
        if connections < 2 * workers {
            reader.refuse(
                "DATABASE_CONNECTIONS is too small for \(workers) WORKERS: at least \(2 * workers), or fewer workers"
            )
        }
        return workers
    }

    static func trust(_ reader: inout SettingsReader) -> Trust {
        reader.read("OUTBOUND_CA_FILE", default: .system, accepted: "a PEM file with certificates that can be read") {
            path in
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            return bytes.firstRange(of: Data("CERTIFICATE-----".utf8)) == nil ? nil : .systemAnd(file: path)
        }
    }

    private static func tls(_ reader: inout SettingsReader) -> TLSConfiguration? {
        switch (reader.text("TLS_CERT_FILE"), reader.text("TLS_KEY_FILE")) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSConfiguration(certificateFile: certificate, keyFile: key)
        case (nil, _): reader.refuse("TLS_KEY_FILE is set but TLS_CERT_FILE is not: set both or neither")
        case (_, nil): reader.refuse("TLS_CERT_FILE is set but TLS_KEY_FILE is not: set both or neither")
        }
        return nil
    }

    /// An origin is a scheme, a host and an optional port, in lower case and without a trailing slash, as browsers send
    /// it. A `*` inside one would match none of them.
    private static func origins(_ reader: inout SettingsReader) -> [String] {
        let accepted = "a comma list of origins such as https://app.example.com, or *"
        return reader.read("ALLOWED_ORIGINS", default: [], accepted: accepted) { text in
            let origins = SettingsReader.items(text.lowercased())
            let areOrigins = origins.allSatisfy { origin in
                origin == "*" || (origin.wholeMatch(of: #/[a-z][a-z0-9+.\-]*://[^\s/,?#"*]+/#.ignoresCase()) != nil)
            }
            return areOrigins ? origins : nil
        }
    }
}
