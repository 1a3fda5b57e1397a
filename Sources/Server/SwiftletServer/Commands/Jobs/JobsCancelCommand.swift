import ArgumentParser
import SwiftletJobs

struct JobsCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a job that waits.",
        discussion: """
            Example:
              swiftlet jobs cancel 4711
            """
    )

    @Argument(help: "The job's id, as `jobs list` shows it.")
    var id: Int

    func run() async throws {
        try await Terminal.run {
            guard try JobDirectory.open().cancel(id) else { throw CommandFailure("no job \(id) waits") }
            Terminal.say("job \(id) is cancelled")
        }
    }
}
