import ArgumentParser

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Make, list, verify, restore and remove backups of rows and files; go back to any moment.",
        discussion: """
            They are in BACKUP_TO, a folder or s3://bucket/prefix. The database is DATABASE_URL, else that of a \
            `swiftlet dev` running in this folder.

            Examples:
              swiftlet backup create --place ./backups
              swiftlet backup list --place ./backups
              swiftlet backup verify --restore --place ./backups
              DATABASE_URL=… STORAGE_PATH=… swiftlet backup restore
              swiftlet backup prune --keep 7d,4w,6m
            """,
        subcommands: [
            BackupCreateCommand.self, BackupListCommand.self, BackupVerifyCommand.self, BackupRestoreCommand.self,
            BackupPruneCommand.self, BackupPointInTimeCommand.self,
        ]
    )
}
