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
    private let output: @Sendable ([UInt8]) -> Void

    /// - Parameter output: writes all bytes, blocking; called on one thread at a time.
    package init(output: @escaping @Sendable ([UInt8]) -> Void) {
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

    /// Writes what is left and waits for it; for the end of the process.
    package func flush() {
        queue.sync { drain() }
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
        if dropped > 0 {
            output(Array("{\"level\":\"warning\",\"message\":\"log lines dropped\",\"count\":\(dropped)}\n".utf8))
        }
    }
}
