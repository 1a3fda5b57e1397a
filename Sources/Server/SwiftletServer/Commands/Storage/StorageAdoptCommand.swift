import ArgumentParser
import SwiftletImports
import SwiftletStorage

struct StorageAdoptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Copy what Supabase has stored in a folder to this server's own storage.",
        discussion: """
            The folder is STORAGE_SUPABASE_PATH, and is left as it is; afterwards the setting can go. Works on the \
            database and the storage, while a server serves or not, and goes on where it broke off. Exits with 1 if files \
            are missing.

            Examples:
              swiftlet storage adopt --dry-run
              swiftlet storage adopt
            """
    )

    @Flag(help: "Look for the files, and copy none.")
    var dryRun = false

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            guard let path = environment["STORAGE_SUPABASE_PATH"] else {
                throw ConfigurationError([
                    "STORAGE_SUPABASE_PATH is missing: the folder in which Supabase's buckets are folders"
                ])
            }
            let adoption = try FileAdoption(
                DatabaseSettings(environment).url,
                ForeignFolder(path: path),
                BackupPlaceOptions.storage(environment).openWithoutLimit()
            )
            let outcome = try await adoption.run(isDryRun: dryRun) { Terminal.say($0) }
            for name in outcome.missing { Terminal.say("missing   \(name)") }
            Terminal.say(
                "\(outcome.adopted) files \(dryRun ? "would be" : "are") adopted, \(outcome.missing.count) are missing"
            )
            guard outcome.missing.isEmpty else { throw ExitCode.failure }
        }
    }
}
