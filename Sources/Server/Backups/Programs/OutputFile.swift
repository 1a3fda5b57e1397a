import SwiftletEssentials

/// A file without a name that takes what a program prints: a pipe would fill up while nobody reads it.
package final class OutputFile: Sendable {
    package let descriptor: CInt

    private static let maximumBytes = 4096

    package init() throws {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/swiftlet-XXXXXX".utf8CString)
        descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        unsafe unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// The end of what was written, in one line.
    package var summary: String {
        let lines = String(decoding: bytes(most: Self.maximumBytes), as: UTF8.self).split(separator: "\n")
        return lines.joined(separator: " | ")
    }

    /// The last bytes that were written.
    package func bytes(most: Int) -> [UInt8] {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: max(0, min(size, most)))
        var read = 0
        while read < bytes.count {
            let start = off_t(size - bytes.count + read)
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress?.advanced(by: read), buffer.count - read, start)
            }
            guard count > 0 else { break }
            read += count
        }
        return Array(bytes.prefix(read))
    }
}
