import Logging
import Postgres

/// What all requests share, created once at start-up. Everything in it is safe to use from any loop.
final class ServerState: Sendable {
    let database: Database
    let logger: Logger
    let clock: ServerClock
    /// Measures the database's share of a request for the request log; always 0 without one.
    let databaseClock: @Sendable () -> UInt64
    let offload = Offload(width: 2)
    let tenants: TenantDirectory
    let memberships: MembershipDirectory

    init(_ configuration: ApplicationConfiguration) {
        database = configuration.database
        logger = configuration.logger
        clock = configuration.clock
        if configuration.requestLog == nil {
            databaseClock = { 0 }
        } else {
            databaseClock = configuration.clock.nanoseconds
        }
        tenants = TenantDirectory(clock: configuration.clock)
        memberships = MembershipDirectory(clock: configuration.clock)
    }
}
