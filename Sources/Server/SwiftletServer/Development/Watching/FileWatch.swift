import SwiftletEssentials

/// Wakes whoever polls when something in the folders changes, by inotify; elsewhere nothing wakes, and looking now and
/// then has to do.
struct FileWatch: ~Copyable {
    /// For `poll`; -1 where there is no such thing.
    let descriptor: CInt

    /// How often to look where nothing wakes, in milliseconds.
    static let lookMilliseconds: CInt = 300

    init() {
        #if os(Linux)
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        #else
        descriptor = -1
        #endif
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watching a folder twice is watching it once.
    func watch(_ folders: [String]) {
        #if os(Linux)
        guard descriptor >= 0 else { return }
        let mask = UInt32(IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM)
        for folder in folders { _ = unsafe inotify_add_watch(descriptor, folder, mask) }
        #endif
    }

    /// Forgets what has been told: the files say what has changed.
    func drain() {
        guard descriptor >= 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while unsafe read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
