package import Auth
package import Logging
package import Outbound
package import Postgres
package import Storage

/// The parts of an ``Application``, chosen once at start-up.
package struct ApplicationConfiguration: Sendable {
    package var database: Database
    package var verifier: TokenVerifier
    /// Called when a token names an unknown key; returns true if the verifier has new keys now. It must return soon.
    package var refreshKeys: (@Sendable (KeyOwner) async -> Bool)?
    package var logger: Logger
    package var cors: CORSPolicy
    package var clock: ServerClock
    /// Writes one line per request; nil disables it.
    package var requestLog: RequestLog?
    /// Where functions keep files; nil for none.
    package var storage: ObjectStorage?
    /// With which functions call other services; nil for none.
    package var http: HTTPEngine?
    /// Shown by `/health`.
    package var version: String
    /// Additional Prometheus text for `/metrics`: connections, loops.
    package var serverMetrics: @Sendable () -> String

    package init(
        database: Database,
        verifier: TokenVerifier,
        refreshKeys: (@Sendable (KeyOwner) async -> Bool)? = nil,
        logger: Logger,
        cors: CORSPolicy = CORSPolicy(origins: []),
        clock: ServerClock = .system,
        requestLog: RequestLog? = nil,
        version: String = "dev",
        serverMetrics: @escaping @Sendable () -> String = { "" }
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
