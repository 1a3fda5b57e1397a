import Synchronization

/// The newest lines of the log, in memory, for who looks at a running server. Old ones give way.
package final class LogRing: Sendable {
    package struct Line: Sendable {
        package let number: Int
        /// A JSON object without the newline.
        package let bytes: [UInt8]
    }

    private struct State {
        var lines: [Line] = []
        var first = 0
        var bytes = 0
        var count = 0
    }

    private let capacityBytes: Int
    private let state = Mutex(State())

    /// Gets each line as well.
    private let file: LogSink?

    package init(capacityBytes: Int = 16 << 20, and file: LogSink? = nil) {
        self.capacityBytes = capacityBytes
        self.file = file
    }

    /// `line` ends with a newline.
    package func add(_ line: [UInt8]) {
        file?.write(line)
        var line = line
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        state.withLock { state in
            state.count += 1
            state.lines.append(Line(number: state.count, bytes: line))
            state.bytes += line.count
            while state.bytes > capacityBytes, state.first < state.lines.count - 1 {
                state.bytes -= state.lines[state.first].bytes.count
                state.first += 1
            }
            // Moves the rest once in a while only.
            if state.first > 4096, state.first > state.lines.count / 2 {
                state.lines.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    /// Writes what has not reached the file yet.
    package func flush(within limit: Duration) { file?.flush(within: limit) }

    /// The number of the newest line.
    package var newest: Int { state.withLock(\.count) }

    /// Up to `limit` of the newest lines after `number` that `isWanted`, oldest first, and how many matched in all.
    package func lines(
        after number: Int,
        limit: Int,
        where isWanted: ([UInt8]) -> Bool
    ) -> (lines: [Line], newest: Int, matched: Int) {
        // A copy of what is new alone: while somebody held all lines, the next one that is added would have to copy them.
        let (lines, newest) = state.withLock { state in
            let new = min(max(state.count - max(number, 0), 0), state.lines.count - state.first)
            return (Array(state.lines.suffix(new)), state.count)
        }
        var found: [Line] = []
        var matched = 0
        for line in lines.reversed() where isWanted(line.bytes) {
            matched += 1
            if found.count < limit { found.append(line) }
        }
        return (found.reversed(), newest, matched)
    }
}
