import SwiftletJSON
import Logging
import SwiftletWeb

/// Formats log messages as JSON lines, or as text for a terminal.
struct SinkLogHandler: LogHandler {
    let sink: LogSink
    let format: RequestLog.Format
    /// Gets each line as JSON.
    var ring: LogRing? = nil
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let time = UTCTime(milliseconds: ServerClock.system.milliseconds())
        ring?.add(json(event, time, fields))
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
        let line = "\(time.text.dropFirst(11)) \(event.level.rawValue.uppercased()) \(event.message)\(details)"
        return Array("\(line.withoutControls)\n".utf8)
    }
}
