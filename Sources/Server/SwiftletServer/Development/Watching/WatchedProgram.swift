import SwiftletBackups
import SwiftletEssentials
import SwiftletProcesses

/// A child whose output is read as it comes: the server, or the compiler.
final class WatchedProgram {
    private let child: ChildProgram
    private var pipe: ChildPipe
    private var isOver = false
    /// The end of what it has printed.
    private(set) var tail: [UInt8] = []

    private static let tailBytes = 1 << 16
    /// How long what is cancelled may take to end what it has started.
    private static let cancelTime: Duration = .seconds(3)

    /// For `poll`: readable when something was printed, or it has ended.
    var descriptor: CInt { pipe.reading }

    /// `output`: where its standard output goes; nil: to the same pipe as its errors.
    init(
        _ command: [String],
        _ environment: [String: String],
        output: CInt?,
        inherited: CInt? = nil
    ) throws {
        pipe = try ChildPipe()
        child = try ChildProgram.start(
            command,
            environment,
            input: nil,
            output: output ?? pipe.writing,
            errors: pipe.writing,
            inherited: inherited,
            leadsGroup: true
        )
        pipe.closeWriting()
    }

    deinit {
        guard !isOver else { return }
        child.kill()
        _ = try? child.wait()
    }

    /// Reads what is there, which must not be nothing. Returns its status once it has ended.
    func read(echo: Bool) throws -> CInt? {
        let piece = try ChildProgram.read(pipe.reading)
        guard !piece.isEmpty else {
            isOver = true
            return try child.wait()
        }
        if echo { StandardStreams.write(piece, to: STDERR_FILENO) }
        tail += piece
        if tail.count > Self.tailBytes { tail.removeFirst(tail.count - Self.tailBytes) }
        return nil
    }

    func terminate() { child.terminate() }

    /// Ends it and what it has started, and waits for it. `swift build` ends its compilers itself when it is
    /// interrupted: they are in groups of their own.
    func cancel() {
        guard !isOver else { return }
        isOver = true
        child.interrupt()
        var entry = pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)
        let end = ContinuousClock.now + Self.cancelTime
        while true {
            let rest = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard rest > 0, unsafe poll(&entry, 1, CInt(rest)) > 0 else { break }
            guard let piece = try? ChildProgram.read(pipe.reading), !piece.isEmpty else { break }
        }
        child.kill()
        _ = try? child.wait()
    }
}
