import SwiftletEssentials

/// Takes one file out of a backup.
package struct FileExtraction: Sendable {
    private let target: BackupTarget

    package init(_ target: BackupTarget) { self.target = target }

    /// Writes the content of `bucket/name`, or of a key of the storage, to a path where nothing else is. Throws
    /// ``BackupError``.
    package func write(_ name: String, of id: SnapshotID, to path: String) async throws {
        let files = try await SnapshotReader(target, id).files()
        let found = files.first { entry in
            entry.key == name || entry.bucket.flatMap { bucket in entry.name.map { "\(bucket)/\($0)" } } == name
        }
        guard let found else { throw BackupError.refused("\(id) has no file \(name)") }
        guard let sha256 = found.sha256 else {
            throw BackupError.refused("the storage had no file for \(name) when \(id) was made")
        }
        let url = URL(fileURLWithPath: path).standardizedFileURL
        let folder = ForeignFiles(path: url.deletingLastPathComponent().path, mode: 0o600)
        _ = try await folder.put(CheckedChunks.open(sha256, in: target), at: [url.lastPathComponent])
    }
}
