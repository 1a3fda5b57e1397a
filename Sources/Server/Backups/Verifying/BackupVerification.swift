import SwiftletAuth
import SwiftletStorage
import Synchronization

/// Reads all of a backup and compares it with its checksums. A content that is damaged is set aside where that can be
/// done: while the storage still has the file, the next backup writes it again.
package struct BackupVerification: Sendable {
    private let target: BackupTarget

    private static let atOnce = 4
    private static let shownFaults = 20

    package init(_ target: BackupTarget) { self.target = target }

    /// Throws ``BackupError/damaged(_:)`` with the first faults, if there are any.
    package func run(_ id: SnapshotID) async throws -> Manifest {
        let reader = SnapshotReader(target, id)
        let (manifest, files) = (try await reader.manifest(), try await reader.files())
        _ = try await reader.roles()
        var faults: [String] = []
        let (dump, sha256) = try await reader.dump()
        let hasDigest = try await dump.hasDigest(sha256 ?? "")
        if dump.length != manifest.dumpBytes || !hasDigest {
            faults.append("\(SnapshotPart.dump.rawValue) has changed")
        }
        faults += try await check(files)
        guard faults.isEmpty else {
            let more = faults.count > Self.shownFaults ? " and \(faults.count - Self.shownFaults) more" : ""
            throw BackupError.damaged(faults.prefix(Self.shownFaults).joined(separator: "; ") + more)
        }
        return manifest
    }

    private func check(_ files: [FileEntry]) async throws -> [String] {
        var sizes: [String: Int] = [:]
        for entry in files { if let sha256 = entry.sha256 { sizes[sha256] = entry.size } }
        var rest = Array(sizes)[...]
        return try await withThrowingTaskGroup(of: String?.self) { group in
            var faults: [String] = []
            for _ in 0..<Self.atOnce {
                if let file = rest.popFirst() { group.addTask { try await fault(file.key, file.value) } }
            }
            while let fault = try await group.next() {
                if let fault { faults.append(fault) }
                if let file = rest.popFirst() { group.addTask { try await self.fault(file.key, file.value) } }
            }
            return faults.sorted()
        }
    }

    private func fault(_ sha256: String, _ size: Int) async throws -> String? {
        let key = try BackupTarget.file(sha256)
        guard let object = try await target.open(key) else { return "\(key) is missing" }
        let fault: String
        if object.length != size {
            fault = "\(key) has \(object.length) bytes instead of \(size)"
        } else if try await object.hasDigest(sha256) {
            return nil
        } else {
            fault = "\(key) has changed"
        }
        do {
            try await target.setAside(key)
            return "\(fault) (it is \(key).damaged now)"
        } catch {
            return fault
        }
    }
}
