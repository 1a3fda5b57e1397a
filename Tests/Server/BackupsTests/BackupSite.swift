import Foundation
import SwiftletAuth
import SwiftletFiles
import SwiftletHTTP
import SwiftletPostgres
import SwiftletStorage
import SwiftletTesting
import Testing

@testable import SwiftletBackups

/// A database with rows and files, and folders for its backups, in a folder of its own.
final class BackupSite: Sendable {
    let folder: String
    let url: String
    let store: ObjectStorage
    let target: BackupTarget

    var targetFolder: String { "\(folder)/backups" }

    init(store other: ObjectStorage? = nil) throws {
        folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-backup-\(UUID().uuidString.prefix(8))"
        url = try TestDatabase.create()
        store = other ?? ObjectStorage(LocalFolder(path: "\(folder)/store"))
        target = BackupTarget(folder: "\(folder)/backups")
        try execute("INSERT INTO storage.buckets (id, name) VALUES ('pictures', 'pictures')")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var source: BackupSource {
        BackupSource(
            databaseURL: url,
            storage: store,
            supabasePath: "\(folder)/supabase"
        )
    }

    /// For another process, or another role.
    static func creation(of url: String, in folder: String) -> BackupCreation {
        let source = BackupSource(databaseURL: url, storage: ObjectStorage(LocalFolder(path: "\(folder)/store")))
        return BackupCreation(source, to: BackupTarget(folder: "\(folder)/backups"), version: "test")
    }

    var creation: BackupCreation { BackupCreation(source, to: target, version: "test") }

    func execute(_ sql: String) throws { try BlockingConnection.connect(to: url).execute(sql) }

    /// An object as `/storage/v1` makes it: its file first.
    @discardableResult
    func add(_ name: String, _ text: String, sha256: String? = nil) async throws -> FileVersion {
        let digits = UUID().uuidString.lowercased().replacing("-", with: "")
        let version = FileVersion(text: "s1.\(digits)")
        try await put(text, at: #require(version.key))
        let digest = try sha256 ?? Self.digest(text)
        try BlockingConnection.connect(to: url).query(
            """
            INSERT INTO storage.objects (bucket_id, name, version, metadata)
            VALUES ('pictures', $1, $2, jsonb_build_object('size', $3::integer, 'sha256', $4::text))
            ON CONFLICT (bucket_id, name) DO UPDATE SET version = EXCLUDED.version, metadata = EXCLUDED.metadata
            """,
            [name, version.text, String(text.utf8.count), digest]
        )
        return version
    }

    func put(_ text: String, at key: ObjectKey, _ type: MediaType = .bytes) async throws {
        _ = try await store.put(Chunks(text), at: key, contentType: type)
    }

    /// Files of the backups by their paths, sorted, without the owner's.
    func targetFiles() throws -> [String] {
        let all = FileManager.default.enumerator(atPath: targetFolder)?.compactMap { $0 as? String } ?? []
        return all.filter { path in
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: "\(targetFolder)/\(path)", isDirectory: &isFolder)
            return !isFolder.boolValue && path != "owner.json"
        }.sorted()
    }

    static func digest(_ text: String) throws -> String {
        let digest = try RunningDigest(.sha256)
        try digest.add(Array(text.utf8))
        return try digest.finish()
    }

    static func text(_ object: StoredObject?) async throws -> String? {
        guard let object else { return nil }
        var bytes: [UInt8] = []
        for try await chunk in object.chunks { bytes += chunk }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A text in pieces.
struct Chunks: AsyncSequence {
    typealias Element = [UInt8]
    let text: String

    init(_ text: String) { self.text = text }

    func makeAsyncIterator() -> Iterator { Iterator(rest: Array(text.utf8)[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<UInt8>

        mutating func next() async -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(1000) }
            return Array(rest.prefix(1000))
        }
    }
}
