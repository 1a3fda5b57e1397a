import Foundation

/// A file without a name that takes a program's standard error: a pipe would fill up while nobody reads it.
final class ErrorFile: Sendable {
    let descriptor: CInt

    private static let maximumBytes = 4096

    init() throws {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/swiftlet-XXXXXX".utf8CString)
        descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        unsafe unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// What was written, in one line, its end if it is long.
    var text: String {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        let start = max(0, size - Self.maximumBytes)
        var bytes = [UInt8](repeating: 0, count: min(size, Self.maximumBytes))
        let count = unsafe pread(descriptor, &bytes, bytes.count, off_t(start))
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
        return lines.joined(separator: " | ")
    }
}
