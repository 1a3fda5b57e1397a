import SwiftletEssentials

/// An advisory file lock, which the kernel releases when the process ends.
struct FolderLock: ~Copyable {
    private let descriptor: CInt

    private init(adopting descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Returns nil if another process holds the lock.
    static func acquire(_ path: String) throws(EmbeddedPostgresError) -> FolderLock? {
        // Close-on-exec: the postmaster may outlive its owner and must not hold the lock.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .folderUnusable(folder: path, reason: "it cannot be written") }
        let lock = FolderLock(adopting: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        return lock
    }
}
