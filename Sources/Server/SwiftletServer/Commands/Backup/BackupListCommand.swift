import ArgumentParser
import SwiftletBackups

struct BackupListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the whole backups, the newest first.",
        discussion: """
            Example:
              swiftlet backup list --place ./backups
            """
    )

    @OptionGroup var place: BackupPlaceOptions

    func run() async throws {
        try await Terminal.run {
            let target = try place.settings(Environment.current()).target
            let rows = try await BackupDirectory(target).entries().map { entry in
                guard let manifest = entry.manifest else { return [entry.id.text, "DAMAGED", "", "", "", ""] }
                return [
                    manifest.id, manifest.database, "\(manifest.tables)", "\(manifest.dumpBytes)",
                    "\(manifest.files)", "\(manifest.fileBytes)",
                ]
            }
            let header = ["BACKUP", "DATABASE", "TABLES", "DUMP BYTES", "FILES", "FILE BYTES"]
            for line in TextTable(header: header, rows: rows).lines { Terminal.say(line) }
        }
    }
}
