import ArgumentParser
import SwiftletBackups

struct BackupRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring a backup into an empty database and a storage.",
        discussion: """
            The database is DATABASE_URL and must be empty, unless --replace renames the one that is there; files go to STORAGE_PATH or S3_BUCKET, beside what is \
            there and never over it. If it breaks off, it can be run again. With --only-file, one file is written to \
            --output, and no database is needed.

            Examples:
              swiftlet backup restore 20261127T030000Z-1a2b3c4d --place ./backups
              swiftlet backup restore --only-file pictures/cat.png --output cat.png
            """
    )

    @Argument(help: "The backup's name; the newest otherwise.")
    var backup: String?

    @Flag(help: "Where the database is filled: rename it, and restore into a new one of its name.")
    var replace = false

    @Option(help: "bucket/name of the only file to restore.")
    var onlyFile: String?

    @Option(help: "The path of that file.")
    var output: String?

    @OptionGroup var place: BackupPlaceOptions

    func validate() throws {
        if (onlyFile == nil) != (output == nil) { throw ValidationError("--only-file and --output go together.") }
    }

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            // Never into the database of a `swiftlet dev` that happens to run here.
            let environment = try Environment.current()
            let target = try place.settings(environment).target
            if let onlyFile, let output {
                let id = try await target.snapshot(named: backup)
                try await FileExtraction(target).write(onlyFile, of: id, to: output)
                return Terminal.say("\(onlyFile) of \(id) is in \(output)")
            }
            // Not DATABASE_DIRECT_URL, which may still name the old one.
            let url = try DatabaseSettings(environment).url
            let storage = try BackupPlaceOptions.storage(environment)
            let id = try await target.snapshot(named: backup)
            let replacement = replace ? try DatabaseReplacement.make(url) : nil
            let restoration = BackupRestoration(
                target,
                into: url,
                storage.openWithoutLimit(),
                supabasePath: environment["STORAGE_SUPABASE_PATH"]
            )
            let outcome: BackupRestoration.Outcome
            do {
                outcome = try await restoration.run(id)
            } catch {
                try replacement?.undo()
                throw error
            }
            if let replacement {
                Terminal.say("what was there is the database \(replacement.formerName): drop it when all is well")
            }
            Terminal.say(
                "\(outcome.manifest.id) is restored: \(outcome.newFiles) files to \(storage.place), and the rows"
            )
            Terminal.say("next: swiftlet migrate up, swiftlet doctor")
        }
    }
}
