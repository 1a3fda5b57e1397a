import Logging
import Postgres

/// What all requests share. Made once at start-up; everything in it is safe to use from any loop.
final class ServerState: Sendable {
    let database: Database
    let logger: Logger
    let clock: ServerClock
    /// For the database's share of a request, which only the request log tells: it stands still where there is none.
    let databaseClock: @Sendable () -> UInt64
    let offload: Offload
    let tenants: TenantDirectory
    let residents: ResidentDirectory

    init(_ configuration: ApplicationConfiguration) {
        database = configuration.database
        logger = configuration.logger
        clock = configuration.clock
        if configuration.requestLog == nil {
            databaseClock = { 0 }
        } else {
            databaseClock = configuration.clock.nanoseconds
        }
        offload = configuration.offload
        tenants = TenantDirectory(clock: configuration.clock)
        residents = ResidentDirectory(clock: configuration.clock)
    }
}
