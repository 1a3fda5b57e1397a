import ArgumentParser
import SwiftletBackups
import SwiftletOutbound

/// Where the backups of a command are.
struct BackupPlaceOptions: ParsableArguments {
    @Option(help: "The folder or s3://bucket/prefix of the backups, in place of BACKUP_TO.")
    var place: String?

    /// Throws ``ConfigurationError`` if neither it nor `BACKUP_TO` is there.
    func settings(_ environment: Environment) throws -> (target: BackupTarget, settings: BackupSettings) {
        var reader = SettingsReader(environment.setting("BACKUP_TO", to: place))
        let trust = Configuration.trust(&reader)
        let settings = BackupSettings(&reader, trust: trust)
        settings.refuse(within: StorageSettings(&reader, trust: trust), &reader)
        try reader.finish()
        guard let target = settings.target else {
            throw ConfigurationError(["BACKUP_TO is missing: a folder or s3://bucket/prefix for backups (or --place)"])
        }
        return (target, settings)
    }

    static func storage(_ environment: Environment) throws -> StorageSettings {
        var reader = SettingsReader(environment)
        let settings = StorageSettings(&reader, trust: Configuration.trust(&reader))
        try reader.finish()
        return settings
    }

    /// What is backed up.
    static func source(_ environment: Environment, _ settings: BackupSettings) throws -> BackupSource {
        try BackupSource(
            databaseURL: settings.databaseURL(DatabaseSettings(environment)),
            storage: storage(environment).openWithoutLimit(),
            supabasePath: environment["STORAGE_SUPABASE_PATH"]
        )
    }
}

extension Manifest {
    /// For people.
    var summary: String {
        let faults = [
            missing > 0 ? "\(missing) rows have no file in the storage" : nil,
            differing > 0 ? "\(differing) files are not what their rows say" : nil,
        ].compactMap(\.self)
        let sizes = "\(tables) tables in \(dumpBytes) bytes, \(files) files of \(fileBytes) bytes (\(newFiles) new)"
        return ([sizes] + faults).joined(separator: "; ")
    }
}
