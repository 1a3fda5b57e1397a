import Foundation
import Logging
import Web

/// The server's log: lines on standard output, written on another thread so that a slow terminal blocks nothing.
struct ServerLog: Sendable {
    let logger: Logger
    let requests: RequestLog?
    private let sink: LogSink

    init(_ settings: Configuration.LogSettings) {
        let format = settings.format
        let sink = LogSink(format) { StandardStreams.write($0, to: STDOUT_FILENO) }
        self.sink = sink
        var logger = Logger(label: "swiftlet") { _ in SinkLogHandler(sink: sink, format: format) }
        logger.logLevel = settings.level
        self.logger = logger
        // Request lines have the level info; at higher levels they are not even formatted.
        requests = settings.level <= .info ? RequestLog(format, to: sink) : nil
    }

    /// Writes the remaining lines, for up to two seconds, before the process exits.
    func flush() { sink.flush(within: .seconds(2)) }
}
