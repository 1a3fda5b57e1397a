import SwiftletEssentials
import SwiftletProcesses

/// Runs one program to its end, within a time.
enum ImageProcess {
    /// Blocks. Returns the status, 128 and the signal for a program that was killed, and what it printed, up to a
    /// mebibyte. Throws `POSIXError` if it cannot be started. A program that takes longer than the limit is killed.
    static func run(
        _ command: [String],
        _ environment: [String: String],
        within limit: Duration
    ) throws -> (status: Int32, output: String) {
        var pipe = try ChildPipe()
        let program = try ChildProgram.start(command, environment, output: pipe.writing)
        pipe.closeWriting()
        let output = read(pipe.reading, until: ContinuousClock.now + limit)
        if output == nil { program.kill() }
        return (try program.wait(), String(decoding: output ?? [], as: UTF8.self))
    }

    /// All that comes until the end, which is that of the program; nil if the time is over before, or if it is too much.
    private static func read(_ descriptor: CInt, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while output.count < 1 << 20 {
            let left = (deadline - ContinuousClock.now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { return nil }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&watched, 1, CInt(clamping: left.seconds * 1000 + 100))
            if ready == 0 { continue }
            let count = ready < 0 ? -1 : unsafe SwiftletEssentials.read(descriptor, &piece, piece.count)
            if count == 0 { return output }
            if count > 0 { output += piece.prefix(count) } else if errno != EINTR { return nil }
        }
        return nil
    }
}
