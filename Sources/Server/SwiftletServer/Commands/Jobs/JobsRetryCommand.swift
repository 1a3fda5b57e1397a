import ArgumentParser
import SwiftletJobs

struct JobsRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Run a job that has failed once more, or one that waits at once.",
        discussion: """
            Examples:
              swiftlet jobs retry 4711
              swiftlet jobs retry --all --job deliver-push
            """
    )

    @Argument(help: "The job's id, as `jobs list` shows it.")
    var id: Int?

    @Flag(help: "All jobs that have failed.")
    var all = false

    @Option(help: "With --all: only jobs of this name.")
    var job: String?

    func validate() throws {
        guard all == (id == nil) else { throw ValidationError("Name either a job's id or --all.") }
    }

    func run() async throws {
        try await Terminal.run {
            let count = try JobDirectory.open().retry(id, name: job)
            guard count > 0 || all else { throw CommandFailure("no job \(id ?? 0) has failed or waits") }
            Terminal.say("\(count) \(count == 1 ? "job runs" : "jobs run") again")
        }
    }
}
