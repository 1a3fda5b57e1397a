import Foundation
package import JSON

/// A program of `Tests/Clients/` in a child process, which ends with this object or this process.
package final class PythonServer: Sendable {
    /// The JSON line that it printed when it was ready.
    package let announcement: JSONValue
    private let process: Process
    private let input: Pipe

    private init(_ process: Process, _ input: Pipe, _ announcement: JSONValue) {
        self.process = process
        self.input = input
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
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            let byte = try output.fileHandleForReading.read(upToCount: 1) ?? Data()
            guard let byte = byte.first else { break }
            line.append(byte)
        }
        do {
            return PythonServer(process, input, try JSONParser.parse(line))
        } catch {
            process.terminate()
            throw error
        }
    }

    package func port(_ name: String) -> Int { announcement[name]?.int ?? 0 }

    /// The server's certificate.
    package var certificateFile: String { announcement["file"]?.string ?? "" }
}
