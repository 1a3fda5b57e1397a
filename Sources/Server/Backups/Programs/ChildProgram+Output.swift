import SwiftletEssentials
package import SwiftletProcesses

extension ChildProgram {
    /// Runs a program to its end. Blocks. Its output is cut after a mebibyte.
    package static func output(
        of command: [String],
        _ environment: [String: String]
    ) throws -> (status: CInt, output: String) {
        var pipe = try ChildPipe()
        let program = try start(command, environment, output: pipe.writing)
        pipe.closeWriting()
        var output: [UInt8] = []
        while let piece = try? read(pipe.reading), !piece.isEmpty {
            if output.count < 1 << 20 { output += piece }
        }
        return (try program.wait(), String(decoding: output, as: UTF8.self))
    }

    /// What comes next; empty at the end. Blocks.
    package static func read(_ descriptor: CInt) throws -> [UInt8] {
        let size = 1 << 18
        var failure: CInt = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            while true {
                let count = unsafe SwiftletEssentials.read(descriptor, buffer.baseAddress, size)
                if count >= 0 { return filled = count }
                if errno != EINTR { return failure = errno }
            }
        }
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        return bytes
    }

    /// Writes all of it. Blocks. Throws `POSIXError`, EPIPE if the program has ended: SIGPIPE must be ignored.
    package static func write(_ bytes: [UInt8], to descriptor: CInt) throws {
        let span = bytes.span
        var written = 0
        while written < span.count {
            let count = unsafe span.extracting(written...).withUnsafeBytes { rest in
                unsafe SwiftletEssentials.write(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            written += count
        }
    }
}
