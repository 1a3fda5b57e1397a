import SwiftletAuth
import SwiftletBlockingPool
import SwiftletEssentials
import SwiftletHTTP
package import SwiftletStorage

/// Brings a backup into an empty database and a store, beside what is there and never over it.
///
/// The files come first. If it breaks off, there are no rows yet, and it can be run again.
package struct BackupRestoration: Sendable {
    private let target: BackupTarget
    private let databaseURL: String
    private let storage: ObjectStorage
    /// The folder for files that Supabase had stored.
    private let supabasePath: String?

    private static let atOnce = 4

    package init(
        _ target: BackupTarget,
        into databaseURL: String,
        _ storage: ObjectStorage,
        supabasePath: String? = nil
    ) {
        self.target = target
        self.databaseURL = databaseURL
        self.storage = storage
        self.supabasePath = supabasePath
    }

    package struct Outcome: Equatable, Sendable {
        package var manifest: Manifest
        /// Files that were not there yet.
        package var newFiles: Int
    }

    /// Throws ``BackupError``, errors of the database, and `StorageError`.
    package func run(_ id: SnapshotID) async throws -> Outcome {
        let threads = BlockingPool("restore", width: 8)
        let reader = SnapshotReader(target, id)
        let manifest = try await reader.manifest()
        let database = DatabaseRestoration(url: databaseURL, threads: threads)
        try await database.check()
        let files = try await reader.files()
        if supabasePath == nil, files.contains(where: { $0.key == nil && $0.sha256 != nil }) {
            throw BackupError.refused(
                "the backup has files of Supabase: set STORAGE_SUPABASE_PATH to a folder for them"
            )
        }
        let newFiles = try await restore(files)
        try await database.run(reader)
        return Outcome(manifest: manifest, newFiles: newFiles)
    }

    private func restore(_ files: [FileEntry]) async throws -> Int {
        // Rows may share a file.
        var places: Set<String> = []
        var rest = files.filter { entry in
            entry.sha256 != nil && entry.place.map { places.insert($0).inserted } ?? false
        }[...]
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            var count = 0
            for _ in 0..<Self.atOnce {
                if let entry = rest.popFirst() { group.addTask { try await restore(entry) } }
            }
            while let isNew = try await group.next() {
                if isNew { count += 1 }
                if let entry = rest.popFirst() { group.addTask { try await restore(entry) } }
            }
            return count
        }
    }

    /// Whether it was not there yet.
    private func restore(_ entry: FileEntry) async throws -> Bool {
        guard let sha256 = entry.sha256 else { return false }
        let chunks = try await CheckedChunks.open(sha256, in: target)
        if let path = entry.foreignPath {
            return try await ForeignFiles(path: supabasePath ?? "").put(chunks, at: path)
        }
        guard let key = entry.key.flatMap(ObjectKey.init) else {
            throw BackupError.damaged("\(entry.key ?? "") is no key of a file")
        }
        if let object = try await storage.get(key) {
            guard try await object.hasDigest(sha256) else { throw BackupError.fileDiffers(key.text) }
            return false
        }
        _ = try await storage.put(chunks, at: key, contentType: entry.type.flatMap(MediaType.init) ?? .bytes)
        return true
    }
}

extension StoredObject {
    /// Whether this is its SHA-256. Reads all of it.
    func hasDigest(_ sha256: String) async throws -> Bool {
        let digest = try RunningDigest(.sha256)
        for try await chunk in chunks { try digest.add(chunk) }
        return try digest.finish() == sha256
    }
}
