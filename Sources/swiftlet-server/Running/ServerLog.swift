import Foundation
import Logging
import Swiftlet

/// Where log lines go: standard output, by a thread of its own, so that a slow terminal holds nobody up.
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
        // The request line is an information: at higher levels it is not even made.
        requests = settings.level <= .info ? RequestLog(lines, to: sink) : nil
    }

    /// For the end of the process.
    func flush() { sink.flush(within: .seconds(2)) }

    private static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Whoever started us shares a pipe that does not block. Half a line would be no line.
                var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&output, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
