import ArgumentParser
import SwiftletWebhooks

struct WebhooksLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List deliveries, the newest first.",
        discussion: """
            Example:
              swiftlet webhooks log --webhook 7 --state failed
            """
    )

    @Option(help: "Only those to this endpoint.")
    var webhook: Int?

    @Option(help: "Only those that are waiting, held, delivered or failed.")
    var state: String?

    @Option(help: "The maximum number of deliveries.")
    var limit = 100

    func validate() throws {
        guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000000.") }
        guard state.map(WebhookDirectory.states.contains) ?? true else {
            throw ValidationError("--state must be one of \(WebhookDirectory.states.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        try await Terminal.run {
            let rows = try WebhookDirectory.open().log(webhook: webhook, state: state, limit: limit)
            for line in TextTable(header: WebhookDirectory.logHeader, rows: rows).lines { Terminal.say(line) }
        }
    }
}
