import Synchronization

/// An open file: it is closed with the last reference to it, if not before.
///
/// Foundation's `FileHandle` is not among the essentials.
package final class OpenFile: Sendable {
    /// -1 once it is closed.
    package var descriptor: CInt { state.withLock(\.self) }
    private let state: Mutex<CInt>

    /// The caller hands the descriptor over.
    package init(owning descriptor: CInt) { state = Mutex(descriptor) }

    deinit { _ = try? close() }

    /// nil for what is not there or cannot be read.
    package convenience init?(forReadingAtPath path: String) { self.init(path, O_RDONLY) }

    /// nil for what is not there or cannot be written: it is not made, nor emptied.
    package convenience init?(forWritingAtPath path: String) { self.init(path, O_WRONLY) }

    private convenience init?(_ path: String, _ flags: CInt) {
        let descriptor = unsafe open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        self.init(owning: descriptor)
    }

    /// At most `count` bytes, fewer only at the end of a file, none behind it.
    package func read(upToCount count: Int) throws -> [UInt8] {
        try unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = try unsafe available(in: UnsafeMutableRawBufferPointer(buffer)[filled...])
                if read == 0 { return }
                filled += read
            }
        }
    }

    /// Waits for some bytes, which may be fewer than `count`; none at the end.
    package func readAvailable(upToCount count: Int) throws -> [UInt8] {
        try unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try unsafe available(in: UnsafeMutableRawBufferPointer(buffer)[...])
        }
    }

    package func readToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try read(upToCount: 1 << 16)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    @unsafe private func available(in buffer: Slice<UnsafeMutableRawBufferPointer>) throws -> Int {
        let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer)
        while true {
            let count = unsafe SwiftletEssentials.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw POSIXError.last }
        }
    }

    package func write(contentsOf bytes: some Collection<UInt8>) throws {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe SwiftletEssentials.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw POSIXError.last
            }
        }
    }

    package func seek(toOffset offset: Int) throws {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw POSIXError.last }
    }

    /// Returns the size.
    @discardableResult
    package func seekToEnd() throws -> Int {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw POSIXError.last }
        return Int(end)
    }

    /// Returns when the content is on the disk.
    package func synchronize() throws {
        guard fsync(descriptor) == 0 else { throw POSIXError.last }
    }

    /// Does nothing the second time.
    package func close() throws {
        let descriptor = state.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard descriptor >= 0 else { return }
        guard SwiftletEssentials.close(descriptor) == 0 else { throw POSIXError.last }
    }
}

extension POSIXError {
    /// What the last call has failed with.
    package static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
