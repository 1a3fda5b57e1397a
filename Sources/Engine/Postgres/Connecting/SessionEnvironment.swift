#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Time zone and date style of every session of this process.
///
/// They decide what is stored and how results read, so they are ours to set, in whatever environment we were started.
/// Libpq sends them from the environment only (libpq manual, "Environment Variables"), and what it sends so stands
/// above all else: start-up options, which poolers refuse, and settings of the role and the database.
enum SessionEnvironment {
    static func prepare() { _ = isSet }

    /// Once, before the first connection.
    private static let isSet: Bool = {
        unsafe setenv("PGTZ", "UTC", 1) == 0 && setenv("PGDATESTYLE", "ISO", 1) == 0
    }()
}
