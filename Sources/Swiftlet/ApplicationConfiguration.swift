package import Auth
package import Logging
package import Postgres

/// What an ``Application`` is made of. Read once at start-up; nothing below looks at the environment.
package struct ApplicationConfiguration: Sendable {
    package var database: Database
    package var verifier: TokenVerifier
    /// Asked when a token names a key that the verifier does not have; true when it has others now. It must end soon.
    package var refreshKeys: (@Sendable (KeyOwner) async -> Bool)?
    package var logger: Logger
    package var cors: CORSPolicy
    package var clock: ServerClock
    package var offload: Offload
    /// One line per request; nil to log none.
    package var requestLog: RequestLog?
    /// Shown by `/health`.
    package var version: String
    /// More lines for `/metrics`, in Prometheus text: connections, loops.
    package var serverMetrics: @Sendable () -> String

    package init(
        database: Database,
        verifier: TokenVerifier,
        refreshKeys: (@Sendable (KeyOwner) async -> Bool)? = nil,
        logger: Logger,
        cors: CORSPolicy = CORSPolicy(origins: []),
        clock: ServerClock = .system,
        offload: Offload = Offload(width: 2),
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
        self.offload = offload
        self.requestLog = requestLog
        self.version = version
        self.serverMetrics = serverMetrics
    }
}
