import SwiftletBlockingPool
import Synchronization

/// A file in `.incoming` that becomes an object.
final class LocalUpload: ObjectUpload {
    private let incoming: Folder
    private let root: Folder
    private let key: ObjectKey
    private let file: OpenFile
    private let threads: BlockingPool
    private let isOver = Atomic(false)

    /// Blocks, as ``write(_:)`` does.
    init(incoming: Folder, root: Folder, key: ObjectKey, threads: BlockingPool) throws(StorageError) {
        self.incoming = incoming
        self.root = root
        self.key = key
        self.threads = threads
        let number = UInt64.random(in: .min ... .max)
        file = try incoming.create(
            "\(String(number, radix: 36))-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        )
    }

    // A task that is cancelled while the file is made never hears of it.
    deinit {
        if !isOver.load(ordering: .relaxed) { try? incoming.remove(file.name) }
    }

    func write(_ bytes: [UInt8]) throws(StorageError) {
        try file.write(bytes)
    }

    func append(_ bytes: [UInt8]) async throws {
        try await threads.finish { try self.write(bytes) }
    }

    func commit() async throws {
        try await threads.finish { [self] in
            try file.flush()
            var folder = root
            for segment in key.segments.dropLast() { folder = try folder.folder(segment, isMade: true) }
            guard let name = key.segments.last else { return }
            try incoming.move(file.name, to: folder, name)
            isOver.store(true, ordering: .relaxed)
        }
    }

    func abandon() async {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        try? await threads.finish { [self] in try incoming.remove(file.name) }
    }
}
