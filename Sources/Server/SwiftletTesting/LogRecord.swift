package import Logging
import Synchronization

/// Keeps what was logged, in order, for tests to look at.
package final class LogRecord: Sendable {
    package struct Line: Sendable {
        package let level: Logger.Level
        package let message: String
        package let metadata: Logger.Metadata
    }

    private let recorded = Mutex<[Line]>([])

    package init() {}

    package var lines: [Line] { recorded.withLock(\.self) }

    /// One line of text per message, with its metadata as `key=value`.
    package var text: String {
        lines.map { line in
            let fields = line.metadata.map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            return "\(line.level) \(line.message) \(fields)"
        }
        .joined(separator: "\n")
    }

    /// A logger of level `trace` that writes here.
    package var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(record: self) }
        logger.logLevel = .trace
        return logger
    }

    package func levels(of message: String) -> [Logger.Level] {
        lines.filter { $0.message == message }.map(\.level)
    }

    private struct Handler: LogHandler {
        let record: LogRecord
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = metadata.merging(event.metadata ?? [:]) { $1 }
            record.recorded.withLock {
                $0.append(Line(level: event.level, message: "\(event.message)", metadata: fields))
            }
        }
    }
}
