import SwiftletEssentials

/// Standard input, output and error.
enum StandardStreams {
    /// Opens the null device in place of those that are closed: otherwise the next socket or timer would get their
    /// number, and with it every log line. Call it before anything else is opened.
    static func open() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // POSIX gives the lowest free number, which is this one.
            _ = unsafe SwiftletEssentials.open("/dev/null", O_RDWR)
        }
    }

    /// Writes everything, also where the parent has made the descriptor non-blocking. Returns how many bytes could be
    /// written: fewer when the disk is full or nobody reads any more.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe SwiftletEssentials.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&output, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return bytes.count - rest.count
    }
}
