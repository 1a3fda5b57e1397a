import SwiftletEssentials

/// Lines of a file that grows, or of standard input.
struct LogReader {
    let isStream: Bool
    private let path: String
    private var handle: OpenFile
    private var rest: [UInt8] = []
    private var offset = 0

    private static let pieceBytes = 1 << 16

    /// Throws ``CommandFailure`` if there is no such file.
    init(_ path: String) throws {
        (self.path, isStream) = (path, path == "-")
        if isStream {
            handle = OpenFile(owning: dup(STDIN_FILENO))
        } else {
            guard let file = OpenFile(forReadingAtPath: path) else {
                throw CommandFailure("there is no \(path): start swiftlet dev in this folder, or give --file")
            }
            handle = file
        }
    }

    /// The next whole line; nil if there is none yet, for standard input if it has ended.
    mutating func next() throws -> [UInt8]? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(rest[..<end])
                rest.removeSubrange(...end)
                return line
            }
            // A full piece of standard input would be waited for while its lines are due.
            let piece = try handle.readAvailable(upToCount: Self.pieceBytes)
            guard !piece.isEmpty else {
                guard !isStream, reopened() else { return nil }
                continue
            }
            offset += piece.count
            rest += piece
        }
    }

    /// A full file has been renamed, and another one has its name.
    private mutating func reopened() -> Bool {
        guard let file = OpenFile(forReadingAtPath: path), let size = try? file.seekToEnd(), size < offset else {
            return false
        }
        try? file.seek(toOffset: 0)
        (handle, offset, rest) = (file, 0, [])
        return true
    }
}
