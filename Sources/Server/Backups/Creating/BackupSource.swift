package import SwiftletStorage
import Synchronization

/// What is backed up: a database, and the store of its files.
package struct BackupSource: Sendable {
    package let databaseURL: String
    let storage: ObjectStorage
    /// Where Supabase has stored what its rows name.
    let supabase: ForeignFolder?

    /// Files of rows, which ``DatabaseSnapshot`` lists.
    static let rowFiles: ObjectKey = "objects"

    package init(databaseURL: String, storage: ObjectStorage, supabasePath: String? = nil) {
        self.databaseURL = databaseURL
        self.storage = storage
        supabase = supabasePath.map { ForeignFolder(path: $0) }
    }

    /// Files that functions have stored, of which only their own rows know.
    func functionFiles() async throws -> [FileEntry] {
        let found = Mutex<[FileEntry]>([])
        try await storage.list(skipping: Self.rowFiles) { page in
            let entries = page.map {
                FileEntry(
                    sha256: nil,
                    size: $0.bytes,
                    key: $0.key.text,
                    version: nil,
                    bucket: nil,
                    name: nil,
                    stamp: $0.stamp
                )
            }
            found.withLock { $0 += entries }
        }
        return found.withLock(\.self)
    }

    /// Throws ``BackupError/refused(_:)`` if rows name files and a folder for them is missing or empty: a backup of a disk
    /// that is not mounted would look good, and the ones before it would go in time.
    func expectStores(of entries: [FileEntry]) async throws {
        if entries.contains(where: { $0.key != nil }), try await !storage.isFilled() {
            throw BackupError.refused("the storage is missing or empty, though rows name files: is its disk mounted?")
        }
        if let supabase, entries.contains(where: { $0.foreignPath != nil }), try await !supabase.isFilled() {
            throw BackupError.refused(
                "STORAGE_SUPABASE_PATH is missing or empty, though rows name files: is its disk mounted?"
            )
        }
    }

    /// nil if the store does not have it.
    func open(_ entry: FileEntry) async throws -> StoredObject? {
        if let key = entry.key.flatMap(ObjectKey.init) { return try await storage.get(key) }
        return try await entry.foreignPath.asyncFlatMap { try await supabase?.open($0) }
    }
}

extension Optional {
    fileprivate func asyncFlatMap<Value>(_ body: (Wrapped) async throws -> Value?) async throws -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}

extension FileEntry {
    /// What names its content in the store.
    var place: String? { key ?? foreignPath?.joined(separator: "/") }

    /// `bucket/name/version`, as Supabase stores files in a folder; nil for one of ours.
    var foreignPath: [String]? {
        guard key == nil, let bucket, let name, let version else { return nil }
        return [bucket] + name.split(separator: "/").map(String.init) + [version]
    }
}
