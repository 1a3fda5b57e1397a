import Synchronization
import SwiftletStorage

extension BackupTarget {
    /// The whole backups, the newest last.
    package func snapshots() async throws -> [SnapshotID] { try await folders().whole }

    /// Whole backups, and those that were broken off or are being made.
    func folders() async throws -> (whole: [SnapshotID], broken: [SnapshotID]) {
        let found = Mutex<(all: Set<SnapshotID>, whole: Set<SnapshotID>)>(([], []))
        try await list(Self.snapshots) { page in
            found.withLock { found in
                for object in page {
                    let parts = object.key.text.split(separator: "/")
                    guard parts.count == 3, let id = SnapshotID(String(parts[1])) else { continue }
                    found.all.insert(id)
                    if parts[2] == SnapshotPart.checksums.rawValue { found.whole.insert(id) }
                }
            }
        }
        let (all, whole) = found.withLock { ($0.all, $0.whole) }
        return (whole.sorted(), all.subtracting(whole).sorted())
    }

    /// The named backup, or the newest. Throws ``BackupError`` if there is none.
    package func snapshot(named name: String?) async throws -> SnapshotID {
        let all = try await snapshots()
        guard let name else {
            guard let newest = all.last else { throw BackupError.noBackups(self.name) }
            return newest
        }
        guard let id = all.first(where: { $0.text == name }) else { throw BackupError.noSuchBackup(name) }
        return id
    }

    /// The digests of the contents that are here, with their sizes.
    func contents() async throws -> [String: Int] {
        let found = Mutex<[String: Int]>([:])
        try await list(Self.files) { page in
            found.withLock { found in
                for object in page {
                    // Those that were set aside are none.
                    guard let name = object.key.text.split(separator: "/").last, (try? Self.file(String(name))) != nil
                    else { continue }
                    found[String(name)] = object.bytes
                }
            }
        }
        return found.withLock(\.self)
    }
}
