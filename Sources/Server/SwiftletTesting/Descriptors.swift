import Glibc

/// Whether so many files can be open; raises the limit if it may.
package func canOpen(descriptors: UInt) -> Bool {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0 else { return false }
    if limit.rlim_cur >= descriptors { return true }
    limit.rlim_cur = descriptors
    limit.rlim_max = max(limit.rlim_max, descriptors)
    return unsafe setrlimit(resource, &limit) == 0
}
