import ArgumentParser
import SwiftletBackups

struct BackupPruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove old backups, and the files that no backup names any more.",
        discussion: """
            Of each of the last days, weeks and months that have backups, the last one stays, and the newest in any \
            case. Without --keep, BACKUP_KEEP counts.

            Example:
              swiftlet backup prune --keep 7d,4w,6m --dry-run
            """
    )

    @Option(help: "What stays: days, weeks and months such as 7d,4w,6m.")
    var keep: Retention?

    @Flag(help: "Say what would be removed, and remove nothing.")
    var dryRun = false

    @OptionGroup var place: BackupPlaceOptions

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let environment = try Environment.current().withDevelopmentDefaults()
            let (target, settings) = try place.settings(environment)
            let url = try settings.databaseURL(DatabaseSettings(environment))
            guard let retention = keep ?? settings.retention else {
                throw ConfigurationError(["BACKUP_KEEP is all: say what stays by --keep"])
            }
            let outcome = try await BackupPruning(target, of: url).run(retention, isDryRun: dryRun)
            for id in outcome.removed { Terminal.say("\(id) \(dryRun ? "would be" : "is") removed") }
            Terminal.say("\(outcome.contents) files of \(outcome.bytes) bytes \(dryRun ? "would go" : "are gone")")
        }
    }
}

extension Retention: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
