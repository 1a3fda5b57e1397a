import ArgumentParser
import SwiftletBackups

struct BackupVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read all of a backup and compare it with its checksums.",
        discussion: """
            With --restore, its rows are also restored into a private PostgreSQL, which is thrown away, and each row's \
            file is looked for. A damaged file is renamed to ….damaged, so that the next backup writes it again. Exits \
            with 1 if anything is wrong, or if the storage had no file for some row.

            Example:
              swiftlet backup verify --restore --place ./backups
            """
    )

    @Argument(help: "The backup's name; the newest otherwise.")
    var backup: String?

    @Flag(help: "Restore the rows on trial.")
    var restore = false

    @Flag(help: "Verify every backup.")
    var all = false

    @Flag(help: "Rows without a file in the storage are no fault.")
    var allowMissing = false

    @OptionGroup var place: BackupPlaceOptions

    func validate() throws {
        if all, backup != nil { throw ValidationError("--all and a backup's name exclude each other.") }
    }

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let target = try place.settings(Environment.current()).target
            let ids = try await all ? target.snapshots() : [target.snapshot(named: backup)]
            guard !ids.isEmpty else { throw BackupError.noBackups(target.name) }
            var isWhole = true
            for id in ids {
                do {
                    let manifest = try await BackupVerification(target).run(id)
                    if restore { try await TrialRestoration(target).run(id) }
                    if manifest.missing > 0, !allowMissing {
                        let fault = "\(manifest.missing) rows had no file in the storage (--allow-missing)"
                        Terminal.warn("\(id): \(fault)")
                        isWhole = false
                        continue
                    }
                    Terminal.say("\(id) is whole\(restore ? " and can be restored" : ""): \(manifest.summary)")
                } catch let error as BackupError {
                    Terminal.warn("\(id): \(error)")
                    isWhole = false
                }
            }
            guard isWhole else { throw ExitCode.failure }
        }
    }
}
