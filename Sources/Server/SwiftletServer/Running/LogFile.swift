import SwiftletEssentials
import Synchronization

/// A file of log lines, and the one before it: when it is full, it is renamed to `.1` and a new one begins.
final class LogFile: Sendable {
    private static let maximumBytes = 16 << 20

    private struct State {
        var handle: OpenFile?
        var bytes = 0
    }

    private let path: String
    private let state = Mutex(State())

    init(_ path: String) { self.path = path }

    /// Returns how many bytes could be written, see ``LogSink``.
    func write(_ bytes: [UInt8]) -> Int {
        state.withLock { state in
            if state.handle == nil || state.bytes > Self.maximumBytes { reopen(&state) }
            guard let handle = state.handle else { return 0 }
            state.bytes += bytes.count
            return StandardStreams.write(bytes, to: handle.descriptor)
        }
    }

    private func reopen(_ state: inout State) {
        try? state.handle?.close()
        let size = FileStatus(atPath: path)?.size ?? 0
        if size > Self.maximumBytes { _ = unsafe rename(path, "\(path).1") }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return state.handle = nil }
        state.handle = OpenFile(owning: descriptor)
        state.bytes = size > Self.maximumBytes ? 0 : size
    }
}
