import SwiftletAuth
import SwiftletStorage

/// Reads the parts of a backup, and believes none whose checksum is wrong.
struct SnapshotReader: Sendable {
    let target: BackupTarget
    let id: SnapshotID

    private static let maximumSumBytes = 1 << 16
    private static let maximumManifestBytes = 1 << 20
    private static let maximumListBytes = 1 << 31

    init(_ target: BackupTarget, _ id: SnapshotID) {
        self.target = target
        self.id = id
    }

    func checksums() async throws -> Checksums {
        try Checksums(parsing: try await target.read(id.key(.checksums), limit: Self.maximumSumBytes))
    }

    func manifest() async throws -> Manifest {
        let manifest = try Manifest(decoding: try await part(.manifest, limit: Self.maximumManifestBytes))
        guard manifest.id == id.text else { throw BackupError.damaged("manifest.json is that of \(manifest.id)") }
        return manifest
    }

    func files() async throws -> [FileEntry] {
        try FileList.decode(try await part(.files, limit: Self.maximumListBytes))
    }

    func roles() async throws -> String {
        String(decoding: try await part(.roles, limit: Self.maximumManifestBytes), as: UTF8.self)
    }

    /// The dump, of which the checksum has to be looked at by who reads it.
    func dump() async throws -> (object: StoredObject, sha256: String?) {
        guard let object = try await target.open(id.key(.dump)) else {
            throw BackupError.damaged("\(SnapshotPart.dump.rawValue) is missing")
        }
        return (object, try await checksums()[.dump])
    }

    private func part(_ part: SnapshotPart, limit: Int) async throws -> [UInt8] {
        let bytes = try await target.read(id.key(part), limit: limit)
        let digest = try RunningDigest(.sha256)
        try digest.add(bytes)
        guard try digest.finish() == (try await checksums()[part]) else {
            throw BackupError.damaged("\(part.rawValue) has changed")
        }
        return bytes
    }
}
