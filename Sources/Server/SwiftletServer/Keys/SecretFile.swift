import SwiftletEssentials

/// Files that hold secrets: whoever may not read them cannot at any moment, nor after a crash.
enum SecretFile {
    /// Puts a file in the place of `path` at once, or in that of the file which a link there leads to, for its owner alone;
    /// with the owner, group and mode of `other` if that is there.
    static func write(_ text: String, to path: String, like other: String? = nil) throws {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let draft = "\(path).new"
        _ = unsafe unlink(draft)
        // `O_EXCL`: nobody has opened it before, and it is no link to elsewhere.
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError.last }
        do {
            let handle = OpenFile(owning: descriptor)
            try handle.write(contentsOf: text.utf8)
            var status = stat()
            if let other, unsafe stat(other, &status) == 0 {
                guard fchown(descriptor, status.st_uid, status.st_gid) == 0,
                    fchmod(descriptor, status.st_mode & 0o777) == 0
                else { throw POSIXError.last }
            }
            try handle.synchronize()
            try handle.close()
            guard unsafe rename(draft, path) == 0 else { throw POSIXError.last }
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
        synchronizeFolder(of: path)
    }

    /// The name is durable too; not every file system can say so.
    private static func synchronizeFolder(of path: String) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        _ = close(descriptor)
    }
}
