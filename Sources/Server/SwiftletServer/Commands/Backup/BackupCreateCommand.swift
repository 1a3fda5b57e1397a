import ArgumentParser
import SwiftletBackups

struct BackupCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a backup of rows and files of one moment. Nothing waits for it.",
        discussion: """
            Files that an earlier backup has are not copied again. Needs pg_dump of the server's version or newer.

            Example:
              swiftlet backup create --place ./backups
            """
    )

    @OptionGroup var place: BackupPlaceOptions

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let environment = try Environment.current().withDevelopmentDefaults()
            let (target, settings) = try place.settings(environment)
            let source = try BackupPlaceOptions.source(environment, settings)
            let manifest = try await BackupCreation(source, to: target, version: Version.text).run()
            Terminal.say("\(manifest.id): \(manifest.summary)")
        }
    }
}
