import SwiftletBlockingPool
import SwiftletHTTP

/// Contents that arrive in several requests, as files of a folder of this machine, or of one that several servers share.
///
/// Such a file begins as one of ``LocalFolder`` does, so that it becomes an object there by moving.
package struct PartialFolder: Sendable {
    private let path: String
    private let threads: BlockingPool

    private static let pieceBytes = 1 << 20

    /// The folder is made when the first content begins.
    package init(path: String) { self.init(path: path, threads: BlockingPool("partial-files", width: 4)) }

    init(path: String, threads: BlockingPool) {
        self.path = path
        self.threads = threads
    }

    /// The content of this name, which is empty if it is new.
    package func open(_ name: ObjectKey) async throws -> PartialFile {
        let (path, threads, file) = (path, threads, Self.file(name))
        return try await threads.run {
            let opened = try Folder.make(path).openForWriting(file)
            return try PartialFile(opened, threads)
        }
    }

    /// How many bytes there are; nil if there is no such content.
    package func length(_ name: ObjectKey) async throws -> Int? {
        let (path, file) = (path, Self.file(name))
        return try await threads.run {
            guard let opened = try Folder.find(path, [])?.open(file) else { return nil }
            return max(0, try opened.size() - PartialFile.head.count)
        }
    }

    /// The content as far as it is there; nil if there is none.
    func read(_ name: ObjectKey) async throws -> StoredObject? {
        let (path, threads, file) = (path, threads, Self.file(name))
        return try await threads.run {
            guard let opened = try Folder.find(path, [])?.open(file) else { return nil }
            let start = PartialFile.head.count
            return StoredObject(
                length: max(0, try opened.size() - start),
                contentType: .bytes,
                pieceBytes: Self.pieceBytes
            ) { range in
                try await threads.run { try opened.read(at: start + range.lowerBound, range.count) }
            }
        }
    }

    /// Does nothing if there is no such content. A cancelled task waits for it, too.
    package func remove(_ name: ObjectKey) async throws {
        let (path, file) = (path, Self.file(name))
        try await threads.finish { try Folder.find(path, [])?.remove(file) }
    }

    /// Removes what nobody has written to for so long.
    package func sweep(olderThan age: Duration) async throws {
        let path = path
        try await threads.run { try Folder.find(path, [])?.sweep(olderThan: age) }
    }

    /// Puts the content into another folder of the same file system, for good. Blocks.
    func move(_ name: ObjectKey, to folder: Folder, _ newName: String) throws {
        try Folder.make(path).move(Self.file(name), to: folder, newName)
    }

    private static func file(_ name: ObjectKey) -> String { name.segments.joined(separator: "-") }
}
