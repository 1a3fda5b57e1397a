import Foundation

/// The number of descriptors that the process may hold open.
struct FileLimit: Sendable {
    let soft: Int
    let hard: Int

    static var current: FileLimit {
        let limit = read()
        return FileLimit(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
    }

    /// Every connection is a descriptor; the usual soft limit of 1024 is far below MAX_CONNECTIONS.
    static func raise() {
        var limit = read()
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
        // macOS refuses more than OPEN_MAX even where it says "unlimited".
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
