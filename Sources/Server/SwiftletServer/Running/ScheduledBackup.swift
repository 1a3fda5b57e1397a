import Foundation
import Logging
import SwiftletBackups
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
    /// When it was asked for, and what was found.
    private let known = Mutex<(at: Date, newest: Date?)?>(nil)

    private static let freshness: TimeInterval = 60

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
            Daily(atTime: time, "swiftlet-backup") { [self] _ in try await run() }
                .acrossTenants()
                .limited(to: .seconds(86_400))
                .attempting(3, delay: .seconds(600))
        }
    }

    private func run() async throws {
        let manifest = try await BackupCreation(source, to: target, version: Version.text).run()
        known.withLock { $0 = nil }
        guard settings.retention.description != "0d,0w,0m" else { return }
        do {
            _ = try await BackupPruning(target, of: source.databaseURL).run(settings.retention)
        } catch let error as BackupError {
            throw JobFailure("\(manifest.id) was made, but old ones were not removed: \(error)")
        }
    }

    /// Prometheus text format 0.0.4. Nothing while the target cannot be reached.
    func metrics() async -> String {
        let newest: Date?
        do { newest = try await self.newest() } catch { return "" }
        let age = newest.map { "\(Int(max(0, Date().timeIntervalSince($0))))" } ?? "+Inf"
        return """
            # HELP swiftlet_backup_age_seconds How long ago the newest whole backup was begun.
            # TYPE swiftlet_backup_age_seconds gauge
            swiftlet_backup_age_seconds \(age)

            """
    }

    /// Says each hour in the log if the newest backup is too old. Until the task is cancelled.
    func watch(_ logger: Logger) async {
        guard settings.time != nil else { return }
        while (try? await Task.sleep(for: .seconds(3600))) != nil {
            do {
                let age = try await newest().map { Date().timeIntervalSince($0) }
                if let age, age < Self.maximumAge { continue }
                logger.warning(
                    "the newest backup is old",
                    metadata: ["age_hours": "\(age.map { "\(Int($0 / 3600))" } ?? "none")", "target": "\(target.name)"]
                )
            } catch {
                logger.warning("the backups cannot be listed", metadata: ["cause": "\(error)"])
            }
        }
    }

    private func newest() async throws -> Date? {
        let now = Date()
        if let known = known.withLock(\.self), now.timeIntervalSince(known.at) < Self.freshness { return known.newest }
        let newest = try await BackupDirectory(target).newest()
        known.withLock { $0 = (now, newest) }
        return newest
    }
}
