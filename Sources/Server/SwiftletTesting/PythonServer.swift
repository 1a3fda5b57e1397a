import Foundation
package import SwiftletJSON
import SwiftletProcesses

/// A program of `Tests/Python/` in a child process, which ends with this object or this process.
///
/// Not by Foundation's `Process`: it keeps descriptors of children that were ended, and crashes while it lists more than a
/// thousand of them.
package final class PythonServer: Sendable {
    /// The JSON line that it printed when it was ready.
    package let announcement: JSONValue
    private let program: ChildProgram
    private let input: Pipe
    private let output: Pipe

    private init(_ program: ChildProgram, input: Pipe, output: Pipe, _ announcement: JSONValue) {
        self.program = program
        self.input = input
        self.output = output
        self.announcement = announcement
    }

    deinit { Self.end(program) }

    private static func end(_ program: ChildProgram) {
        program.kill()
        _ = try? program.wait()
    }

    /// Blocks until the program has printed its line.
    package static func start(_ script: String, _ arguments: [String] = []) throws -> PythonServer {
        let (input, output) = (Pipe(), Pipe())
        // It complains about every client that disconnects, as tests do: its errors go nowhere.
        let program = try ChildProgram.start(
            [Python.interpreter, "\(Python.scripts)/\(script)"] + arguments,
            ProcessInfo.processInfo.environment,
            input: input.fileHandleForReading.fileDescriptor,
            output: output.fileHandleForWriting.fileDescriptor
        )
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        do {
            return PythonServer(program, input: input, output: output, try line(of: output))
        } catch {
            end(program)
            throw error
        }
    }

    /// Sends a line and returns the JSON line that answers it. Not for several tasks at once.
    package func ask(_ line: String = "") throws -> JSONValue {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        return try Self.line(of: output)
    }

    private static func line(of output: Pipe) throws -> JSONValue {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            let byte = try output.fileHandleForReading.read(upToCount: 1) ?? Data()
            guard let byte = byte.first else { break }
            line.append(byte)
        }
        return try JSONParser.parse(line)
    }

    package func port(_ name: String) -> Int { announcement[name]?.int ?? 0 }

    /// The server's certificate.
    package var certificateFile: String { announcement["file"]?.string ?? "" }
}
