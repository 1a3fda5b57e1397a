import SwiftletBlockingPool
import SwiftletStorage

/// Removes old backups, what broken ones have left, and the contents that no backup names any more.
///
/// What makes a folder a backup goes first: one that is half removed is none, and the next run removes the rest.
package struct BackupPruning: Sendable {
    private let target: BackupTarget
    private let databaseURL: String

    private static let atOnce = 8

    /// No backup of the database is made meanwhile.
    package init(_ target: BackupTarget, of databaseURL: String) {
        self.target = target
        self.databaseURL = databaseURL
    }

    package struct Outcome: Equatable, Sendable {
        package var removed: [SnapshotID] = []
        package var broken = 0
        package var contents = 0
        package var bytes = 0
    }

    /// Throws ``BackupError/damaged(_:)`` if the list of one that stays cannot be read: its contents would go.
    package func run(_ retention: Retention, isDryRun: Bool = false) async throws -> Outcome {
        let threads = BlockingPool("prune", width: 2)
        let lock = try await BackupLock.take(databaseURL, threads)
        do {
            try await TargetOwner.of(databaseURL, threads).expect(in: target)
            let outcome = try await run(retention, isDryRun, lock)
            await lock.release()
            return outcome
        } catch {
            await lock.release()
            throw error
        }
    }

    private func run(_ retention: Retention, _ isDryRun: Bool, _ lock: BackupLock) async throws -> Outcome {
        let (whole, broken) = try await target.folders()
        let kept = retention.kept(of: whole)
        var named: Set<String> = []
        for id in whole where kept.contains(id) {
            do {
                for entry in try await SnapshotReader(target, id).files() {
                    named.formUnion([entry.sha256].compactMap(\.self))
                }
            } catch let BackupError.damaged(fault) {
                throw BackupError.damaged("\(id): \(fault); nothing is removed while it is there")
            }
        }
        let contents = try await target.contents()
        let unnamed = contents.filter { !named.contains($0.key) }
        var outcome = Outcome()
        outcome.removed = whole.filter { !kept.contains($0) }
        outcome.broken = broken.count
        outcome.contents = unnamed.count
        outcome.bytes = unnamed.values.reduce(0, +)
        if isDryRun { return outcome }
        for id in outcome.removed + broken {
            try await lock.check()
            for part in [.checksums] + SnapshotPart.summed { try await target.delete(id.key(part)) }
        }
        try await lock.check()
        try await delete(unnamed.keys.compactMap { try? BackupTarget.file($0) })
        return outcome
    }

    private func delete(_ keys: [ObjectKey]) async throws {
        var rest = keys[...]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.atOnce {
                if let key = rest.popFirst() { group.addTask { try await target.delete(key) } }
            }
            while try await group.next() != nil {
                if let key = rest.popFirst() { group.addTask { try await target.delete(key) } }
            }
        }
    }
}
