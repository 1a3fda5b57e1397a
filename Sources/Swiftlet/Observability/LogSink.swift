import Dispatch
import Synchronization

/// Collects log lines and writes them on a thread of Dispatch, so that a slow disk or terminal never holds a loop up.
///
/// Memory is bounded: over ``capacityBytes`` of unwritten lines, new ones are dropped and counted.
package final class LogSink: Sendable {
    static let capacityBytes = 8 << 20

    private struct State {
        var buffer: [UInt8] = []
        var isWriterScheduled = false
        var dropped = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "swiftlet.log")
    private let format: RequestLog.Format
    private let output: @Sendable ([UInt8]) -> Void

    /// `output` writes all bytes, blocking; it is called on one thread at a time. `format` is that of our own notices.
    package init(_ format: RequestLog.Format, output: @escaping @Sendable ([UInt8]) -> Void) {
        self.format = format
        self.output = output
    }

    package func write(_ line: [UInt8]) {
        let needsWriter = state.withLock { state in
            guard state.buffer.count + line.count <= Self.capacityBytes else {
                state.dropped += 1
                return false
            }
            state.buffer += line
            defer { state.isWriterScheduled = true }
            return !state.isWriterScheduled
        }
        if needsWriter { queue.asyncAfter(deadline: .now() + .milliseconds(5)) { self.drain() } }
    }

    /// Writes what is left and waits for it; for the end of the process. A reader that has stopped reading must not keep
    /// the process from ending: after `limit` the rest is given up.
    package func flush(within limit: Duration) {
        let work = DispatchWorkItem { self.drain() }
        queue.async(execute: work)
        let milliseconds = limit.components.seconds * 1_000 + limit.components.attoseconds / 1_000_000_000_000_000
        _ = work.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
    }

    private func drain() {
        let (bytes, dropped) = state.withLock { state in
            defer {
                state.buffer = []
                state.dropped = 0
                state.isWriterScheduled = false
            }
            return (state.buffer, state.dropped)
        }
        if !bytes.isEmpty { output(bytes) }
        if dropped > 0 { output(Array(notice(dropped).utf8)) }
    }

    private func notice(_ dropped: Int) -> String {
        let time = UTCTime(milliseconds: ServerClock.system.milliseconds()).text
        return switch format {
        case .json: #"{"time":"\#(time)","level":"warning","message":"log lines dropped","count":\#(dropped)}"# + "\n"
        case .text: "\(time.dropFirst(11)) WARNING log lines dropped count=\(dropped)\n"
        }
    }
}
