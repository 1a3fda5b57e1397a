#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An open folder, whatever is renamed or replaced meanwhile. Each call blocks, and follows no symbolic link in a name.
final class Folder: Sendable {
    let descriptor: CInt

    private init(adopting descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Makes the folder and those above it, where they are missing. Here links are followed: the operator has chosen
    /// the path.
    static func make(_ path: String) throws(StorageError) -> Folder {
        if let folder = try open(path) { return folder }
        var prefix = path.hasPrefix("/") ? "" : "."
        for segment in path.split(separator: "/") {
            prefix += "/\(segment)"
            guard unsafe mkdir(prefix, 0o750) == 0 || errno == EEXIST else {
                throw .system("mkdir", of: "the storage folder")
            }
        }
        guard let folder = try open(path) else { throw .unavailable("the storage folder cannot be made") }
        return folder
    }

    /// Throws unless the folder, which is missing, can be made.
    static func expectMakeable(_ path: String) throws(StorageError) {
        var parent = path[...]
        while unsafe access(String(parent), F_OK) != 0, let slash = parent.lastIndex(of: "/") {
            parent = slash == parent.startIndex ? "/" : parent[..<slash]
        }
        // With "/.", as the superuser may write to any file.
        let isWritable = unsafe access(parent.contains("/") ? "\(parent)/." : ".", W_OK | X_OK) == 0
        guard isWritable else { throw .system("access", of: "the storage folder's parent") }
    }

    /// The folder below the path; nil if it or one on the way is missing.
    static func find(_ path: String, _ segments: some Sequence<String>) throws(StorageError) -> Folder? {
        guard var folder = try open(path) else { return nil }
        for segment in segments {
            guard let next = try folder.existing(segment) else { return nil }
            folder = next
        }
        return folder
    }

    func folder(_ name: String, isMade: Bool) throws(StorageError) -> Folder {
        if let folder = try existing(name) { return folder }
        guard isMade, unsafe mkdirat(descriptor, name, 0o750) == 0 || errno == EEXIST else { throw .system("mkdir") }
        try flush()
        guard let folder = try existing(name) else { throw .unavailable("a folder vanishes as it is made") }
        return folder
    }

    /// A new file that only we may read.
    func create(_ name: String) throws(StorageError) -> OpenFile {
        let file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
        guard file >= 0 else { throw .system("create") }
        return OpenFile(adopting: file, name: name)
    }

    /// The file of this name, which is made if it is missing; only we may read it.
    func openForWriting(_ name: String) throws(StorageError) -> OpenFile {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let file = unsafe openat(descriptor, name, flags, 0o640)
        guard file >= 0 else { throw .system("open") }
        let opened = OpenFile(adopting: file, name: name)
        guard try opened.isRegular() else { throw .unavailable("a partial file is no file") }
        return opened
    }

    /// nil if there is no regular file of this name.
    func open(_ name: String) throws(StorageError) -> OpenFile? {
        // Without O_NONBLOCK, a pipe of this name would hang.
        let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            guard errno == ENOENT || errno == ELOOP || errno == ENOTDIR else { throw .system("open") }
            return nil
        }
        let opened = OpenFile(adopting: file, name: name)
        return try opened.isRegular() ? opened : nil
    }

    /// Puts a file into a folder under a new name, for good.
    func move(_ name: String, to folder: Folder, _ newName: String) throws(StorageError) {
        guard unsafe renameat(descriptor, name, folder.descriptor, newName) == 0 else { throw .system("rename") }
        try folder.flush()
    }

    /// Does nothing if there is no such file.
    func remove(_ name: String) throws(StorageError) {
        guard unsafe unlinkat(descriptor, name, 0) != 0 else { return try flush() }
        guard errno == ENOENT || errno == EISDIR else { throw .system("remove") }
    }

    /// Removes files that nobody has written to for so long. Failures do no harm.
    func sweep(olderThan age: Duration) {
        try? eachEntry { name, status in
            guard status.st_mode & S_IFMT == S_IFREG, time(nil) - status.modified.tv_sec > age.components.seconds else {
                return
            }
            unsafe unlinkat(descriptor, name, 0)
        }
    }

    /// Visits the files here and in the folders below whose paths are keys, `prefix` being that of this folder.
    func list(_ prefix: String?, skipping skipped: String?, _ visit: ObjectPageVisitor) throws {
        var files: [ListedObject] = []
        var folders: [String] = []
        try eachEntry { name, status in
            guard let key = ObjectKey((prefix.map { $0 + "/" } ?? "") + name) else { return }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                let modified = "\(status.modified.tv_sec).\(status.modified.tv_nsec)"
                let stamp = "\(modified)-\(status.st_ino)-\(status.st_size)"
                files.append(ListedObject(key: key, bytes: Int(status.st_size), stamp: stamp))
            case S_IFDIR where key.text != skipped: folders.append(name)
            default: break
            }
        }
        if !files.isEmpty { try visit(files) }
        for name in folders {
            try existing(name)?.list((prefix.map { $0 + "/" } ?? "") + name, skipping: skipped, visit)
        }
    }

    func isFilled() throws(StorageError) -> Bool {
        var isFilled = false
        try eachEntry { name, _ in if name != "." && name != ".." { isFilled = true } }
        return isFilled
    }

    private func eachEntry(_ body: (_ name: String, _ status: stat) -> Void) throws(StorageError) {
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw .system("open", of: "a storage folder") }
        guard let entries = unsafe fdopendir(copy) else {
            close(copy)
            throw .system("open", of: "a storage folder")
        }
        defer { unsafe closedir(entries) }
        while let entry = unsafe readdir(entries) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            var status = stat()
            guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            body(name, status)
        }
    }

    private func existing(_ name: String) throws(StorageError) -> Folder? {
        try Self.adopt(unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
    }

    private static func open(_ path: String) throws(StorageError) -> Folder? {
        try adopt(systemOpen(path))
    }

    private static func adopt(_ descriptor: CInt) throws(StorageError) -> Folder? {
        if descriptor >= 0 { return Folder(adopting: descriptor) }
        if errno == ENOENT { return nil }
        throw .system("open", of: "a storage folder")
    }

    private func flush() throws(StorageError) {
        guard fsync(descriptor) == 0 else { throw .system("fsync") }
    }
}

private func systemOpen(_ path: String) -> CInt { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }

extension stat {
    fileprivate var modified: timespec {
        #if canImport(Glibc)
        st_mtim
        #else
        st_mtimespec
        #endif
    }
}

extension StorageError {
    /// Reads `errno`, so it must be called right after the call that failed.
    static func system(_ call: String, of subject: String = "a file of the storage") -> StorageError {
        let number = errno
        return .unavailable("\(call) \(subject): \(unsafe String(cString: strerror(number)))")
    }
}
