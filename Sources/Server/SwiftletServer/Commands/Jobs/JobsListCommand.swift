import ArgumentParser
import SwiftletFiles
import SwiftletJobs
import SwiftletSignIn
import SwiftletWeb
import SwiftletWebhooks

struct JobsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List jobs, the newest first: those that wait, run, have failed or were cancelled.",
        discussion: """
            Example:
              swiftlet jobs list --state failed --job deliver-push
            """
    )

    @Option(help: "Only jobs that are waiting, running, failed, done or cancelled.")
    var state: String?

    @Option(help: "Only jobs of this name.")
    var job: String?

    @Option(help: "The maximum number of jobs.")
    var limit = 100

    func validate() throws {
        guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000000.") }
        guard state.map(JobDirectory.states.contains) ?? true else {
            throw ValidationError("--state must be one of \(JobDirectory.states.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        try await Terminal.run {
            let declared =
                try JobRegistry(RunningApp.current.functions).names + [
                    Mailer.jobName, FilePurge.jobName, IdempotencyPurge.jobName, ScheduledBackup.jobName,
                    WebhookSender.jobName, WebhookSender.purgeName, AuditPurge.jobName,
                    ProviderGrants.jobName, SearchFill.jobName,
                ]
            let rows = try JobDirectory.open().list(state: state, name: job, limit: limit, declared: declared)
            for line in TextTable(header: JobDirectory.header, rows: rows).lines { Terminal.say(line) }
        }
    }
}
