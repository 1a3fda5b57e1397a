import Foundation
import Logging
import Swiftlet

/// The server's log: lines on standard output, written on another thread so that a slow terminal blocks nothing.
struct ServerLog: Sendable {
    let logger: Logger
    let requests: RequestLog?
    private let sink: LogSink

    init(_ settings: Configuration.LogSettings) {
        let format = settings.format
        let lines: RequestLog.Format = format == .json ? .json : .text
        let sink = LogSink(lines) { Self.write($0) }
        self.sink = sink
        var logger = Logger(label: "swiftlet") { _ in SinkLogHandler(sink: sink, format: format) }
        logger.logLevel = settings.level
        self.logger = logger
        // Request lines have the level info; at higher levels they are not even formatted.
        requests = settings.level <= .info ? RequestLog(lines, to: sink) : nil
    }

    /// Writes the remaining lines, for up to two seconds, before the process exits.
    func flush() { sink.flush(within: .seconds(2)) }

    /// Returns how many bytes were written.
    private static func write(_ bytes: [UInt8]) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // The parent has made this pipe non-blocking: wait, to write whole lines.
                var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&output, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return bytes.count - rest.count
    }
}
