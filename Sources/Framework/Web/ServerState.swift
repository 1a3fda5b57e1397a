import Logging
import SwiftletAuth
import SwiftletBlockingPool
import SwiftletOutbound
package import SwiftletPostgres
import SwiftletStorage
import Synchronization

/// What all requests share, created once at start-up. Everything in it is safe to use from any loop.
package final class ServerState: Sendable {
    package let database: Database
    let verifier: TokenVerifier
    let logger: Logger
    package let clock: ServerClock
    /// Measures the database's share of a request for the request log; always 0 without one.
    let databaseClock: @Sendable () -> UInt64
    let offload = BlockingPool("functions", width: 2)
    /// nil where the server has none.
    let storage: ObjectStorage?
    /// nil where functions may not call other services.
    let http: HTTPEngine?
    /// To be called when work for the background was committed.
    package let announceWork: @Sendable () -> Void
    let push: PushSender?
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
        storage: ObjectStorage?,
        http: HTTPEngine?,
        logger: Logger,
        clock: ServerClock,
        measuresDatabase: Bool,
        announceWork: @escaping @Sendable () -> Void,
        push: PushSender?,
        values: ContextValues,
        isDevelopment: Bool
    ) {
        self.database = database
        self.verifier = verifier
        self.storage = storage
        self.http = http
        self.logger = logger
        self.clock = clock
        self.announceWork = announceWork
        self.push = push
        self.values = values
        self.isDevelopment = isDevelopment
        if measuresDatabase { databaseClock = clock.nanoseconds } else { databaseClock = { 0 } }
        tenants = TenantDirectory(clock: clock)
        memberships = MembershipDirectory(clock: clock)
    }

    /// Whether nobody has missed this table before.
    func firstMiss(of table: String) -> Bool { missedTables.withLock { $0.insert(table).inserted } }
}
