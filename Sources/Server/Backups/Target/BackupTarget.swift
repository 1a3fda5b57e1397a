package import SwiftletStorage
import SwiftletAuth
import SwiftletHTTP

/// Where backups are kept: a folder whose files other programs can read, or a bucket.
///
///     snapshots/<id>/  database.dump  roles.sql  files.tsv  manifest.json  SHA256SUMS
///     files/ab/<SHA-256 of the content>
///
/// A content is kept once, however many backups name it.
package struct BackupTarget: Sendable {
    /// For people.
    package let name: String
    private let store: any ObjectStore
    private let prefix: ObjectKey?

    static let snapshots: ObjectKey = "snapshots"
    static let files: ObjectKey = "files"

    /// The folder is made by the first backup.
    package init(folder path: String) {
        name = "the folder \(path)"
        store = LocalFolder(path: path, keepsTypes: false)
        prefix = nil
    }

    package init(bucket settings: S3Settings, prefix: ObjectKey?) {
        name = "the bucket \(settings.bucket)\(prefix.map { "/\($0)" } ?? "") at \(settings.endpoint)"
        store = S3Bucket(settings)
        self.prefix = prefix
    }

    /// Of a content, by its SHA-256 in hexadecimal digits.
    static func file(_ sha256: String) throws(BackupError) -> ObjectKey {
        let isDigest = sha256.utf8.count == 64 && sha256.allSatisfy { "0123456789abcdef".contains($0) }
        guard isDigest, let key = ObjectKey("files/\(sha256.prefix(2))/\(sha256)") else {
            throw .damaged("\(sha256) is no SHA-256")
        }
        return key
    }

    func open(_ key: ObjectKey) async throws -> StoredObject? { try await store.open(place(of: key)) }

    /// Nobody sees the content before `commit` of what this returns.
    func begin(_ key: ObjectKey) async throws -> any ObjectUpload { try await store.begin(place(of: key), .bytes) }

    func delete(_ key: ObjectKey) async throws { try await store.delete(place(of: key)) }

    /// Gives a content that is damaged another name, so that the next backup writes it again.
    func setAside(_ key: ObjectKey) async throws {
        guard let aside = ObjectKey("\(key).damaged"), let object = try await open(key) else { return }
        let upload = try await begin(aside)
        do {
            for try await chunk in object.chunks { try await upload.append(chunk) }
            try await upload.commit()
        } catch {
            await upload.abandon()
            throw error
        }
        try await delete(key)
    }

    package func probe() async throws { try await store.probe() }

    func list(_ folder: ObjectKey, _ visit: @escaping ObjectPageVisitor) async throws {
        let skipped = prefix.map { $0.text.utf8.count + 1 } ?? 0
        try await store.list(place(of: folder), skipping: nil) { page in
            try visit(
                page.compactMap { object in
                    ObjectKey(String(object.key.text.dropFirst(skipped))).map {
                        ListedObject(key: $0, bytes: object.bytes, stamp: object.stamp)
                    }
                }
            )
        }
    }

    /// Writes one part of a backup, and returns its SHA-256.
    func write(_ bytes: [UInt8], to key: ObjectKey) async throws -> String {
        let digest = try RunningDigest(.sha256)
        try digest.add(bytes)
        let upload = try await begin(key)
        do {
            if !bytes.isEmpty { try await upload.append(bytes) }
            try await upload.commit()
        } catch {
            await upload.abandon()
            throw error
        }
        return try digest.finish()
    }

    /// Throws ``BackupError/damaged(_:)`` if it is missing or longer than the limit.
    func read(_ key: ObjectKey, limit: Int) async throws -> [UInt8] {
        guard let object = try await open(key) else { throw BackupError.damaged("\(key) is missing") }
        guard object.length <= limit else { throw BackupError.damaged("\(key) is longer than \(limit) bytes") }
        var bytes: [UInt8] = []
        for try await chunk in object.chunks { bytes += chunk }
        return bytes
    }

    private func place(of key: ObjectKey) throws(BackupError) -> ObjectKey {
        guard let prefix else { return key }
        guard let place = ObjectKey("\(prefix)/\(key)") else { throw .refused("the prefix \(prefix) is too long") }
        return place
    }
}
