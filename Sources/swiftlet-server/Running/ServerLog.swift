import Foundation
import JSON
import Logging
import Swiftlet

/// Where log lines go: standard output, by a thread of its own, so that a slow terminal holds nobody up.
struct ServerLog: Sendable {
    let logger: Logger
    let requests: RequestLog?
    private let sink: LogSink

    init(_ settings: Configuration.LogSettings) {
        let sink = LogSink { Self.write($0) }
        self.sink = sink
        let format = settings.format
        var logger = Logger(label: "swiftlet") { _ in SinkLogHandler(sink: sink, format: format) }
        logger.logLevel = settings.level
        self.logger = logger
        // The request line is an information: at higher levels it is not even made.
        requests = settings.level <= .info ? RequestLog(format == .json ? .json : .text, to: sink) : nil
    }

    /// For the end of the process.
    func flush() { sink.flush() }

    private static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

/// Makes a line of a message: JSON, or text for a terminal.
private struct SinkLogHandler: LogHandler {
    let sink: LogSink
    let format: Configuration.LogSettings.Format
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let time = UTCTime(milliseconds: ServerClock.system.milliseconds())
        switch format {
        case .json: sink.write(json(event, time, fields))
        case .text: sink.write(text(event, time, fields))
        }
    }

    private func json(
        _ event: LogEvent,
        _ time: UTCTime,
        _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> [UInt8] {
        var line = JSONWriter()
        line.beginObject()
        line.member("time", time.text)
        line.member("level", event.level.rawValue)
        line.member("message", event.message.description)
        for (key, value) in fields {
            line.key(key)
            line.write(value.description)
        }
        line.endObject()
        return line.finish() + [UInt8(ascii: "\n")]
    }

    private func text(
        _ event: LogEvent,
        _ time: UTCTime,
        _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> [UInt8] {
        let details = fields.map { " \($0.key)=\($0.value)" }.joined()
        // A line end in a value must not begin a line of its own.
        let line = "\(event.level.rawValue.uppercased()) \(event.message)\(details)".replacing("\n", with: " ")
        return Array("\(time.text.dropFirst(11)) \(line)\n".utf8)
    }
}
