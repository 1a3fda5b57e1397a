import Logging
import SwiftletEssentials
import SwiftletWeb

/// The server's log: lines on standard output, written on another thread so that a slow terminal blocks nothing.
struct ServerLog: Sendable {
    let logger: Logger
    let requests: RequestLog?
    /// The newest lines, where a console shows them.
    let ring: LogRing?
    private let sink: LogSink

    /// `file` gets each line as JSON, whatever the format of standard output.
    init(_ settings: Configuration.LogSettings, keepsLines: Bool = false, file: LogFile? = nil) {
        let ring =
            keepsLines || file != nil
            ? LogRing(and: file.map { file in LogSink(.json) { file.write($0) } }) : nil
        self.ring = ring
        let format = settings.format
        let sink = LogSink(format) { StandardStreams.write($0, to: STDOUT_FILENO) }
        self.sink = sink
        var logger = Logger(label: "swiftlet") { _ in SinkLogHandler(sink: sink, format: format, ring: ring) }
        logger.logLevel = settings.level
        self.logger = logger
        // Request lines have the level info; at higher levels they are not even formatted.
        requests = settings.level <= .info ? RequestLog(format, to: sink, and: ring) : nil
    }

    /// Writes the remaining lines, for up to two seconds, before the process exits.
    func flush() {
        sink.flush(within: .seconds(2))
        ring?.flush(within: .seconds(2))
    }
}
