#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An open file, also after it has been moved or removed. Each call blocks.
final class OpenFile: Sendable {
    let name: String
    private let descriptor: CInt

    init(adopting descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) throws(StorageError) {
        let span = bytes.span
        var written = 0
        while written < span.count {
            let count = unsafe span.extracting(written...).withUnsafeBytes { rest in
                unsafe systemWrite(descriptor, rest.baseAddress, rest.count)
            }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .system("write")
            }
            written += count
        }
    }

    /// Writes from that byte on, wherever others have written last.
    func write(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
        let span = bytes.span
        var written = 0
        while written < span.count {
            let count = unsafe span.extracting(written...).withUnsafeBytes { rest in
                unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
            }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .system("write")
            }
            written += count
        }
    }

    /// Runs while nobody else holds the file's lock, in this process or another. Must be short.
    func locked<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system("lock") }
        }
        defer { flock(descriptor, LOCK_UN) }
        return try body()
    }

    /// Up to `count` bytes; fewer at the end of the file.
    func read(at offset: Int, _ count: Int) throws(StorageError) -> [UInt8] {
        var failure: StorageError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let read = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
                if read == 0 { return }
                if read < 0 {
                    if errno == EINTR { continue }
                    return failure = .system("read")
                }
                filled += read
            }
        }
        if let failure { throw failure }
        return bytes
    }

    func size() throws(StorageError) -> Int { Int(try status().st_size) }

    func isRegular() throws(StorageError) -> Bool { try status().st_mode & S_IFMT == S_IFREG }

    /// Returns once the disk has all of it.
    func flush() throws(StorageError) {
        guard fsync(descriptor) == 0 else { throw .system("fsync") }
    }

    private func status() throws(StorageError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system("stat") }
        return status
    }
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
