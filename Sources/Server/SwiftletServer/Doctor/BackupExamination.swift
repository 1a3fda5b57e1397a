import SwiftletBackups
import SwiftletEssentials
import SwiftletPostgres

/// Whether backups are made, by a program that fits the database, and how old the newest is.
struct BackupExamination: Sendable {
    private let settings: BackupSettings
    private let database: DatabaseSettings

    init(_ settings: BackupSettings, _ database: DatabaseSettings) {
        self.settings = settings
        self.database = database
    }

    func findings() async -> [Finding] {
        guard let target = settings.target else {
            return [.note("backup", "none are made: set BACKUP_TO, or see to rows and files in another way")]
        }
        return [await age(target), await program()].compactMap(\.self)
    }

    private func age(_ target: BackupTarget) async -> Finding {
        do {
            try await target.probe()
            guard let newest = try await BackupDirectory(target).newest() else {
                return .note("backup", "none yet in \(target.name): swiftlet backup create")
            }
            let age = Date().timeIntervalSince(newest)
            let hours = Int(age / 3600)
            if ScheduledBackup.isAhead(age) {
                let remedy = "set the clock, or remove that backup's folder"
                return .fault("backup", "the newest in \(target.name) is \(-hours) hours in the future: \(remedy)")
            }
            if age > ScheduledBackup.maximumAge {
                let remedy = "look for the job \(ScheduledBackup.jobName): swiftlet jobs list --state failed"
                return .fault("backup", "the newest in \(target.name) is \(hours) hours old: \(remedy)")
            }
            return .good("backup", "the newest in \(target.name) is \(hours) hours old")
        } catch {
            return .fault("backup", "\(target.name): \(error): check BACKUP_TO, and BACKUP_S3_… for a bucket")
        }
    }

    /// nil where the database cannot be reached, which others say.
    private func program() async -> Finding? {
        let url = settings.databaseURL(database)
        let major = try? await blocking { () -> Int? in
            let version = try BlockingConnection.connect(to: url).query("SHOW server_version_num").first?[0]
            return version.flatMap { Int($0) }.map { $0 / 10_000 }
        }
        guard let major else { return nil }
        do {
            let program = try await blocking { try PostgresProgram.find("pg_dump", major: major) }
            return .good("pg_dump", "\(program.version), for PostgreSQL \(major)")
        } catch {
            return .fault("pg_dump", "\(error)")
        }
    }
}
