package import SwiftletAuth
package import Logging
package import SwiftletPostgres

/// The parts of an ``Application``, chosen once at start-up.
package struct ApplicationConfiguration: Sendable {
    package var database: Database
    /// Take reads from the database, if there are any.
    package var replicas: ReplicaReads?
    package var verifier: TokenVerifier
    /// Called when a token names an unknown key; returns true if the verifier has new keys now. It must return soon.
    package var refreshKeys: (@Sendable (KeyOwner) async -> Bool)?
    package var logger: Logger
    package var cors: CORSPolicy
    package var clock: ServerClock
    /// Writes one line per request; nil disables it.
    package var requestLog: RequestLog?
    /// Records traces; nil disables it.
    package var tracer: Tracer?
    /// What functions reach by their keys: settings, files, push messages, calls to other services.
    package var values = ContextValues()
    /// How many requests are taken, and of whom.
    package var rates = RateSettings()
    package var publicPages = PublicPages.all
    /// Whether a table that the database lacks is an error instead of an empty list.
    package var isDevelopment = false
    /// Without one of these, `/ready` is 503: `auth.users`.
    package var requiredTables: [String] = []
    /// Shown by `/health`.
    package var version: String
    /// Additional Prometheus text for `/metrics`: connections, loops, jobs.
    package var serverMetrics: @Sendable () async -> String
    /// What `/` shows to browsers, as HTML; others get the same as at `/health`.
    package var welcome: String?

    package init(
        database: Database,
        verifier: TokenVerifier,
        refreshKeys: (@Sendable (KeyOwner) async -> Bool)? = nil,
        logger: Logger,
        cors: CORSPolicy = CORSPolicy(origins: []),
        clock: ServerClock = .system,
        requestLog: RequestLog? = nil,
        version: String = "dev",
        serverMetrics: @escaping @Sendable () async -> String = { "" }
    ) {
        self.database = database
        self.verifier = verifier
        self.refreshKeys = refreshKeys
        self.logger = logger
        self.cors = cors
        self.clock = clock
        self.requestLog = requestLog
        self.version = version
        self.serverMetrics = serverMetrics
    }
}
