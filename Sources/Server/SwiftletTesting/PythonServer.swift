import Foundation
package import SwiftletJSON

/// A program of `Tests/Python/` in a child process, which ends with this object or this process.
package final class PythonServer: Sendable {
    /// The JSON line that it printed when it was ready.
    package let announcement: JSONValue
    private let process: Process
    private let input: Pipe
    private let output: Pipe

    private init(_ process: Process, input: Pipe, output: Pipe, _ announcement: JSONValue) {
        self.process = process
        self.input = input
        self.output = output
        self.announcement = announcement
    }

    deinit { process.terminate() }

    /// Blocks until the program has printed its line.
    package static func start(_ script: String, _ arguments: [String] = []) throws -> PythonServer {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Python.interpreter)
        process.arguments = ["\(Python.scripts)/\(script)"] + arguments
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        // It complains about every client that disconnects, as tests do.
        process.standardError = FileHandle.nullDevice
        try process.run()
        do {
            return PythonServer(process, input: input, output: output, try line(of: output))
        } catch {
            process.terminate()
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
