import Logging
import Offloading
import Outbound
package import Postgres
import Storage

/// What all requests share, created once at start-up. Everything in it is safe to use from any loop.
package final class ServerState: Sendable {
    package let database: Database
    let logger: Logger
    package let clock: ServerClock
    /// Measures the database's share of a request for the request log; always 0 without one.
    let databaseClock: @Sendable () -> UInt64
    let offload = Offload("functions", width: 2)
    /// nil where the server has none.
    let storage: ObjectStorage?
    /// nil where functions may not call other services.
    let http: HTTPEngine?
    /// To be called when work for the background was committed.
    package let announceWork: @Sendable () -> Void
    let push: PushSender?
    let settings: [String: String]
    let tenants: TenantDirectory
    let memberships: MembershipDirectory

    init(
        _ database: Database,
        storage: ObjectStorage?,
        http: HTTPEngine?,
        logger: Logger,
        clock: ServerClock,
        measuresDatabase: Bool,
        announceWork: @escaping @Sendable () -> Void,
        push: PushSender?,
        settings: [String: String]
    ) {
        self.database = database
        self.storage = storage
        self.http = http
        self.logger = logger
        self.clock = clock
        self.announceWork = announceWork
        self.push = push
        self.settings = settings
        if measuresDatabase { databaseClock = clock.nanoseconds } else { databaseClock = { 0 } }
        tenants = TenantDirectory(clock: clock)
        memberships = MembershipDirectory(clock: clock)
    }
}
