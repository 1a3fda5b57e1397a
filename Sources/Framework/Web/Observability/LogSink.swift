import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Buffers log lines and writes them on a Dispatch queue, so that a slow disk or terminal never blocks an event loop.
///
/// Beyond ``capacityBytes`` of unwritten lines, new ones are dropped and counted.
package final class LogSink: Sendable {
    static let capacityBytes = 8 << 20
    /// How long lines are collected before they are written together.
    private static let microseconds: UInt32 = 5_000

    private struct State {
        var buffer: [UInt8] = []
        var isWriterScheduled = false
        var dropped = 0
        /// The last write ended within a line.
        var isMidLine = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "swiftlet.log")
    private let format: RequestLog.Format
    private let output: @Sendable ([UInt8]) -> Int

    /// `output` writes all bytes and may block; it returns how many it could write, which is fewer when the disk is
    /// full. It is never called concurrently. `format` is used for the notice about dropped lines.
    package init(_ format: RequestLog.Format, output: @escaping @Sendable ([UInt8]) -> Int) {
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
        guard needsWriter else { return }
        // The thread is the writer's own, so it may sleep: a timer that a wrong clock delays would keep lines back.
        queue.async {
            usleep(Self.microseconds)
            self.drain()
        }
    }

    /// Writes the remaining lines before the process exits. Gives up after `limit`, as the reader may have stopped
    /// reading.
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
        var lost = send(bytes)
        // Where nothing can be written, the notice comes with what can be written next.
        if dropped > 0, lost > 0 || send(Array(notice(dropped).utf8)) > 0 { lost += dropped }
        if lost > 0 { state.withLock { $0.dropped += lost } }
    }

    /// Returns the number of lines that were lost, a part of one included.
    private func send(_ bytes: [UInt8]) -> Int {
        guard !bytes.isEmpty else { return 0 }
        let newline = UInt8(ascii: "\n")
        let isMidLine = state.withLock(\.isMidLine)
        let bytes = isMidLine ? [newline] + bytes : bytes
        let count = output(bytes)
        let last = count > 0 ? bytes[count - 1] : nil
        state.withLock { $0.isMidLine = last.map { $0 != newline } ?? isMidLine }
        // The end of the line before is none that is lost.
        return bytes[count...].count { $0 == newline } - (count == 0 && isMidLine ? 1 : 0)
    }

    private func notice(_ dropped: Int) -> String {
        let time = UTCTime(milliseconds: ServerClock.system.milliseconds()).text
        return switch format {
        case .json: #"{"time":"\#(time)","level":"warning","message":"log lines dropped","count":\#(dropped)}"# + "\n"
        case .text: "\(time.dropFirst(11)) WARNING log lines dropped count=\(dropped)\n"
        }
    }
}
