package import SwiftletHTTP
import SwiftletBlockingPool

/// Objects as files of a folder of this machine.
///
/// A file begins with one line, its content type; the object follows. New ones are written to `.incoming`, from where
/// they move to their place once the disk has them. No symbolic link is followed below the folder.
package struct LocalFolder: ObjectStore {
    private let path: String
    private let keepsTypes: Bool
    /// Files have threads of their own: hashing passwords must not delay them, nor they it.
    private let threads = BlockingPool("files", width: 4)

    package var partials: PartialFolder? { PartialFolder(path: "\(path)/\(Self.resumable)", threads: threads) }

    /// What crashes have left behind is removed when it is this old.
    private static let maximumAge = Duration.seconds(24 * 3600)
    static let incoming = ".incoming"
    /// Of contents that may go on for longer, see ``PartialFolder``.
    private static let resumable = ".resumable"
    private static let pieceBytes = 128 * 1024
    private static let maximumTypeBytes = 300

    /// The folder is made when the first object is stored. One that keeps no types has the objects alone in its files, so
    /// that other programs can read them.
    package init(path: String, keepsTypes: Bool = true) {
        self.path = path
        self.keepsTypes = keepsTypes
    }

    package func begin(_ key: ObjectKey, _ contentType: MediaType) async throws -> any ObjectUpload {
        let (path, threads, keepsTypes) = (path, threads, keepsTypes)
        return try await threads.run {
            let root = try Folder.make(path)
            let incoming = try root.folder(Self.incoming, isMade: true)
            incoming.sweep(olderThan: Self.maximumAge)
            let upload = try LocalUpload(incoming: incoming, root: root, key: key, threads: threads)
            if keepsTypes { try upload.write(Array("\(contentType)\n".utf8)) }
            return upload
        }
    }

    package func open(_ key: ObjectKey) async throws -> StoredObject? {
        let (path, threads, keepsTypes) = (path, threads, keepsTypes)
        return try await threads.run {
            guard let folder = try Folder.find(path, key.segments.dropLast()), let name = key.segments.last,
                let file = try folder.open(name)
            else { return nil }
            guard keepsTypes else {
                return StoredObject(length: try file.size(), contentType: .bytes, pieceBytes: Self.pieceBytes) {
                    range in
                    try await threads.run { try file.read(at: range.lowerBound, range.count) }
                }
            }
            let head = try file.read(at: 0, Self.maximumTypeBytes)
            guard let end = head.firstIndex(of: UInt8(ascii: "\n")) else { throw StorageError.damaged }
            let type = MediaType(String(decoding: head[..<end], as: UTF8.self)) ?? .bytes
            return StoredObject(
                length: try file.size() - end - 1,
                contentType: type,
                pieceBytes: Self.pieceBytes
            ) { range in
                try await threads.run { try file.read(at: end + 1 + range.lowerBound, range.count) }
            }
        }
    }

    package func delete(_ key: ObjectKey) async throws {
        let path = path
        try await threads.finish {
            guard let folder = try Folder.find(path, key.segments.dropLast()), let name = key.segments.last else {
                return
            }
            try folder.remove(name)
        }
    }

    package func adopt(_ partial: ObjectKey, of partials: PartialFolder, at key: ObjectKey) async throws {
        let path = path
        try await threads.finish {
            var folder = try Folder.make(path)
            for segment in key.segments.dropLast() { folder = try folder.folder(segment, isMade: true) }
            guard let name = key.segments.last else { return }
            try partials.move(partial, to: folder, name)
        }
    }

    package func list(
        _ folder: ObjectKey?,
        skipping skipped: ObjectKey?,
        _ visit: @escaping ObjectPageVisitor
    ) async throws {
        let path = path
        try await threads.finish {
            guard let root = try Folder.find(path, folder?.segments ?? []) else { return }
            try root.list(folder?.text, skipping: skipped?.text, visit)
        }
    }

    package func isFilled() async throws -> Bool {
        let path = path
        return try await threads.run { try Folder.find(path, [])?.isFilled() ?? false }
    }

    package func probe() async throws {
        let path = path
        try await threads.run {
            guard let folder = try Folder.find(path, []) else { return try Folder.expectMakeable(path) }
            let file = try folder.create(".probe-\(UInt64.random(in: .min ... .max))")
            try folder.remove(file.name)
        }
    }
}
