import ArgumentParser
import SwiftletBackups

struct StorageCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that each row of storage.objects has its file.",
        discussion: """
            Works on the database and the storage, without a server, and changes nothing. Exits with 1 if a file is \
            missing or, with --deep, is not what its row says.

            Example:
              swiftlet storage check --deep
            """
    )

    @Flag(help: "Read every file and compare it with the digest in its row.")
    var deep = false

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let source = try BackupSource(
                databaseURL: DatabaseSettings(environment).url,
                storage: BackupPlaceOptions.storage(environment).openWithoutLimit(),
                supabasePath: environment["STORAGE_SUPABASE_PATH"]
            )
            let report = try await StorageCheck(source).run(isDeep: deep)
            for name in report.missing { Terminal.say("missing   \(TextTable.harmless(name))") }
            for name in report.differing { Terminal.say("DIFFERENT \(TextTable.harmless(name))") }
            Terminal.say(
                """
                \(report.rows) rows, \(report.missingCount) without their file\
                \(deep ? ", \(report.differing.count) whose file is another" : ""); \
                \(report.unnamed) files of \(report.unnamedBytes) bytes that no row names
                """
            )
            guard report.missingCount == 0, report.differing.isEmpty else { throw ExitCode.failure }
        }
    }
}
