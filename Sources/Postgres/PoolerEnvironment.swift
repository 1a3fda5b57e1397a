import Glibc

/// Time zone and date style behind a transaction pooler.
///
/// A pooler refuses start-up options, but takes these two parameters, and the only way to have libpq send them is the
/// environment (libpq manual, "Environment Variables"). Set once, before the first connection; what the operator has
/// set stays.
enum PoolerEnvironment {
    static func prepare() { _ = isSet }

    private static let isSet: Bool = {
        unsafe setenv("PGTZ", "UTC", 0) == 0 && setenv("PGDATESTYLE", "ISO", 0) == 0
    }()
}
