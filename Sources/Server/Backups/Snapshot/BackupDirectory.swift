package import SwiftletEssentials

/// What a target has.
package struct BackupDirectory: Sendable {
    private let target: BackupTarget

    package init(_ target: BackupTarget) { self.target = target }

    package struct Entry: Sendable {
        package let id: SnapshotID
        /// nil for one that is damaged.
        package let manifest: Manifest?
    }

    /// The newest first.
    package func entries() async throws -> [Entry] {
        var entries: [Entry] = []
        for id in try await target.snapshots().reversed() {
            do {
                entries.append(Entry(id: id, manifest: try await SnapshotReader(target, id).manifest()))
            } catch is BackupError {
                entries.append(Entry(id: id, manifest: nil))
            }
        }
        return entries
    }

    /// When the newest whole backup was begun; nil if there is none.
    package func newest() async throws -> Date? { try await target.snapshots().last?.began }
}
