import SwiftletBlockingPool

/// A content that grows over several requests. Several may have it open, here and on other servers: bytes are only
/// written behind those that are there, so of two writers one is told that it is behind.
package final class PartialFile: Sendable {
    private let file: OpenFile
    private let threads: BlockingPool

    /// The line that files of ``LocalFolder`` begin with.
    static let head = Array("application/octet-stream\n".utf8)

    /// Blocks.
    init(_ file: OpenFile, _ threads: BlockingPool) throws(StorageError) {
        self.file = file
        self.threads = threads
        try file.locked { () throws(StorageError) in
            // Whoever made it may have crashed within the line.
            if try file.size() < Self.head.count { try file.write(Self.head, at: 0) }
        }
    }

    /// Appends the bytes if there are `offset` bytes of content, and says whether there were. What a failure leaves
    /// is a beginning of them.
    package func append(_ bytes: [UInt8], at offset: Int) async throws -> Bool {
        try await threads.finish { [file] in
            let position = Self.head.count + offset
            return try file.locked { () throws(StorageError) in
                guard try file.size() == position else { return false }
                try file.write(bytes, at: position)
                return true
            }
        }
    }

    /// Returns once the disk has all of it. A cancelled task waits for it, too.
    package func flush() async throws {
        try await threads.finish { [file] in try file.flush() }
    }
}
