import Logging
import SwiftletBackups
import SwiftletEssentials
import SwiftletFiles
import SwiftletJobs
import Synchronization

/// The backups that the servers make by themselves, and how old the newest is.
final class ScheduledBackup: Sendable {
    static let jobName = "swiftlet-backup"
    /// A day, and the time that a large backup takes.
    static let maximumAge: TimeInterval = 26 * 3600

    private let target: BackupTarget
    private let source: BackupSource
    private let settings: BackupSettings
    /// When the newest was begun, or that there is none; nil until somebody has looked.
    private let known = Mutex<Date??>(nil)

    /// nil where no backups are made.
    init?(_ configuration: Configuration) {
        guard let target = configuration.backups.target else { return nil }
        self.target = target
        settings = configuration.backups
        source = BackupSource(
            databaseURL: settings.databaseURL(configuration.database),
            storage: configuration.storage.openWithoutLimit(),
            supabasePath: configuration.files.supabasePath
        )
    }

    /// The job that makes one a day, on one of the servers; nil where they are made by hand.
    var job: Job<NoPayload>? {
        settings.time.map { time in
            Daily(atTime: time, "swiftlet-backup") { [self] context in
                let logger = context.logger
                // Digests and long lists are not for event loops.
                try await withTaskExecutorPreference(globalConcurrentExecutor) { try await run(logger) }
            }
            .acrossTenants()
            .limited(to: .seconds(86_400))
            .attempting(3, delay: .seconds(600))
        }
    }

    private func run(_ logger: Logger) async throws {
        let manifest = try await BackupCreation(source, to: target, version: Version.text).run()
        known.withLock { $0 = .some(manifest.began) }
        logger.log(
            level: manifest.missing > 0 ? .error : manifest.differing > 0 ? .warning : .info,
            "a backup was made",
            metadata: ["backup": "\(manifest.id)", "contents": "\(manifest.summary)"]
        )
        guard let retention = settings.retention else { return }
        // Older backups may have what is missing in this one.
        guard manifest.missing == 0 else {
            logger.error(
                "old backups stay while files are missing: swiftlet storage check",
                metadata: ["backup": "\(manifest.id)", "missing": "\(manifest.missing)"]
            )
            return
        }
        do {
            _ = try await BackupPruning(target, of: source.databaseURL).run(retention)
        } catch let error as BackupError {
            throw JobFailure("\(manifest.id) was made, but old ones were not removed: \(error)")
        }
    }

    /// Prometheus text format 0.0.4, of what was found last. Nothing until the target was reached.
    var metrics: String {
        guard let newest = known.withLock(\.self) else { return "" }
        // One of the future says nothing of those that should have come behind it.
        let age = newest.map { Date().timeIntervalSince($0) }.flatMap { Self.isAhead($0) ? nil : "\(Int(max(0, $0)))" }
        return """
            # HELP swiftlet_backup_age_seconds How long ago the newest whole backup was begun.
            # TYPE swiftlet_backup_age_seconds gauge
            swiftlet_backup_age_seconds \(age ?? "+Inf")

            """
    }

    /// Whether a backup of this age was made under a clock that is ahead of ours.
    static func isAhead(_ age: TimeInterval) -> Bool { age < -SnapshotID.maximumLead }

    /// Looks each minute how old the newest backup is, and says each hour in the log if it is too old. Until the task is
    /// cancelled.
    func watch(_ logger: Logger) async {
        var minutes = 0
        repeat {
            let saysSo = minutes > 0 && minutes % 60 == 0 && settings.time != nil
            minutes += 1
            do {
                let age = try await look().map { Date().timeIntervalSince($0) }
                if !saysSo || age.map({ $0 < Self.maximumAge && !Self.isAhead($0) }) ?? false { continue }
                logger.warning(
                    "the newest backup is old, or of the future",
                    metadata: ["age_hours": "\(age.map { "\(Int($0 / 3600))" } ?? "none")", "target": "\(target.name)"]
                )
            } catch {
                if saysSo { logger.warning("the backups cannot be listed", metadata: ["cause": "\(error)"]) }
            }
        } while (try? await Task.sleep(for: .seconds(60))) != nil
    }

    private func look() async throws -> Date? {
        let newest = try await BackupDirectory(target).newest()
        known.withLock { $0 = .some(newest) }
        return newest
    }
}
