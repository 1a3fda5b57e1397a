import SwiftletEssentials

/// The number of descriptors that the process may have open.
enum FileLimit {
    /// What the soft limit can be raised to.
    static var hard: Int { Int(clamping: read().rlim_max) }

    /// Raises the soft limit to the hard one: every connection is a descriptor, and the usual 1024 are too few.
    static func raise() {
        var limit = read()
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
        // macOS refuses more than OPEN_MAX even if the hard limit is "unlimited".
        limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #endif
        _ = unsafe setrlimit(descriptors, &limit)
    }

    private static func read() -> rlimit {
        var limit = rlimit()
        _ = unsafe getrlimit(descriptors, &limit)
        return limit
    }

    #if canImport(Darwin)
    private static let descriptors = RLIMIT_NOFILE
    #else
    private static let descriptors = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #endif
}
