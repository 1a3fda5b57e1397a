import Foundation

/// An advisory lock that the kernel drops when the process ends, however it ends.
struct FolderLock: ~Copyable {
    private let descriptor: CInt

    private init(adopting descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// nil when another process holds it.
    static func acquire(_ path: String) throws(EmbeddedPostgresError) -> FolderLock? {
        // Close-on-exec: the postmaster outlives a crashed owner and must not keep the lock alive.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .folderUnusable(folder: path, reason: "it cannot be written") }
        let lock = FolderLock(adopting: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        return lock
    }
}
