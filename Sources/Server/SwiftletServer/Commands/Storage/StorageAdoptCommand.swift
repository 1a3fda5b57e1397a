import ArgumentParser
import SwiftletEssentials
import SwiftletImports
import SwiftletStorage

struct StorageAdoptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Copy to this server's own storage what Supabase has stored in a folder, or files without rows.",
        discussion: """
            The folder is STORAGE_SUPABASE_PATH, and is left as it is; afterwards the setting can go. Works on the \
            database and the storage, while a server serves or not, and goes on where it broke off. Exits with 1 if files \
            are missing.

            With --from, files that no row knows become objects of a bucket, under the names that they have there, \
            without owners: those of any folder, or of a bucket with the keys IMPORT_S3_ACCESS_KEY and \
            IMPORT_S3_SECRET_KEY (and IMPORT_S3_ENDPOINT, IMPORT_S3_REGION). Objects that are there stay as they are. \
            Exits with 1 if a file has a name that no object can have, or one that differs from another only in the \
            normal form of Unicode, or cannot be read.

            Examples:
              swiftlet storage adopt --dry-run
              swiftlet storage adopt
              swiftlet storage adopt --from /srv/pictures --bucket pictures
              swiftlet storage adopt --from s3://old-bucket/2025 --bucket pictures --folder 2025
            """
    )

    @Option(help: "A folder or s3://bucket/folder with files that no row knows.")
    var from: String?

    @Option(help: "The bucket that the files of --from go into; its row must be there.")
    var bucket: String?

    @Option(help: "A folder in it.")
    var folder = ""

    @Flag(help: "Look for the files, and copy none.")
    var dryRun = false

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            if let from { return try await adoptLoose(from, environment) }
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
            for name in outcome.missing { Terminal.say("missing   \(TextTable.harmless(name))") }
            Terminal.say(
                "\(outcome.adopted) files \(dryRun ? "would be" : "are") adopted, \(outcome.missing.count) are missing"
            )
            guard outcome.missing.isEmpty else { throw ExitCode.failure }
        }
    }

    private func adoptLoose(_ from: String, _ environment: Environment) async throws {
        guard let bucket else { throw ValidationError("Say which bucket the files go into: --bucket pictures") }
        let source: LooseFileAdoption.Source
        if from.lowercased().hasPrefix("s3://") {
            source = .bucket(try ForeignBucket.named(from, environment))
        } else {
            guard FileManager.default.folderExists(atPath: from) else {
                throw CommandFailure("--from \(from) is neither a folder nor s3://bucket/folder")
            }
            source = .folder(from)
        }
        let adoption = LooseFileAdoption(
            try DatabaseSettings(environment).url,
            source,
            into: bucket,
            folder: folder,
            try BackupPlaceOptions.storage(environment).openWithoutLimit(),
            contentType: StorageAPI.type(of:)
        )
        let outcome = try await adoption.run(isDryRun: dryRun) { Terminal.say($0) }
        for (fault, names) in [
            ("no name  ", outcome.refused), ("same name", outcome.clashing), ("missing  ", outcome.missing),
        ] {
            for name in names { Terminal.say("\(fault) \(TextTable.harmless(name))") }
        }
        Terminal.say(
            """
            \(outcome.adopted) files \(dryRun ? "would be" : "are") adopted, \(outcome.known) were there, \
            \(outcome.refused.count) have no name for an object, \(outcome.clashing.count) the name of another, \
            \(outcome.missing.count) are missing
            """
        )
        guard outcome.isComplete else { throw ExitCode.failure }
    }
}
