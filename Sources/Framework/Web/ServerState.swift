import Logging
import SwiftletAuth
import SwiftletBlockingPool
package import SwiftletPostgres
import Synchronization

/// What all requests share, created once at start-up. Everything in it is safe to use from any loop.
package final class ServerState: Sendable {
    package let database: Database
    /// nil where all reads are the primary's.
    let replicas: ReplicaReads?
    let verifier: TokenVerifier
    /// For work in the background.
    let tracer: Tracer?
    let logger: Logger
    package let clock: ServerClock
    /// Measures the database's share of a request for the request log; always 0 without one.
    let databaseClock: @Sendable () -> UInt64
    let offload = BlockingPool("functions", width: 2)
    /// What the rooms above and the apps have brought.
    let values: ContextValues
    /// Whether somebody is there to mend what the database lacks.
    let isDevelopment: Bool
    /// Whether the server is about to stop, see ``Application/prepareToStop()``.
    let isStopping = Atomic<Bool>(false)
    private let missedTables = Mutex<Set<String>>([])
    let tenants: TenantDirectory
    let memberships: MembershipDirectory

    init(
        _ database: Database,
        verifier: TokenVerifier,
        logger: Logger,
        clock: ServerClock,
        measuresDatabase: Bool,
        values: ContextValues,
        isDevelopment: Bool,
        tracer: Tracer? = nil,
        replicas: ReplicaReads? = nil
    ) {
        self.replicas = replicas
        self.tracer = tracer
        self.database = database
        self.verifier = verifier
        self.logger = logger
        self.clock = clock
        self.values = values
        self.isDevelopment = isDevelopment
        if measuresDatabase { databaseClock = clock.nanoseconds } else { databaseClock = { 0 } }
        tenants = TenantDirectory(clock: clock)
        memberships = MembershipDirectory(clock: clock)
    }

    /// Whether nobody has missed this table before.
    func firstMiss(of table: String) -> Bool { missedTables.withLock { $0.insert(table).inserted } }
}
