import Foundation

/// Standard input, output and error.
enum StandardStreams {
    /// Opens the null device in place of those that are closed: otherwise the next socket or timer would get their
    /// number, and with it every log line. Call it before anything else is opened.
    static func open() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // POSIX gives the lowest free number, which is this one.
            _ = unsafe Foundation.open("/dev/null", O_RDWR)
        }
    }
}
