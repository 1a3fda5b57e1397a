import Foundation
import SwiftletBackups
import SwiftletProcesses

/// A child whose output is read as it comes: the server, or the compiler.
final class WatchedProgram {
    private let child: ChildProgram
    private var pipe: ChildPipe
    /// The end of what it has printed.
    private(set) var tail: [UInt8] = []

    private static let tailBytes = 1 << 16

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
            inherited: inherited
        )
        pipe.closeWriting()
    }

    deinit { child.kill() }

    /// Reads what is there, which must not be nothing. Returns its status once it has ended.
    func read(echo: Bool) throws -> CInt? {
        let piece = try ChildProgram.read(pipe.reading)
        guard !piece.isEmpty else { return try child.wait() }
        if echo { StandardStreams.write(piece, to: STDERR_FILENO) }
        tail += piece
        if tail.count > Self.tailBytes { tail.removeFirst(tail.count - Self.tailBytes) }
        return nil
    }

    func terminate() { child.terminate() }

    func kill() { child.kill() }
}
