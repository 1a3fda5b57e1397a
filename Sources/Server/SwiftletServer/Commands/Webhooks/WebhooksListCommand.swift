import ArgumentParser
import SwiftletWebhooks

struct WebhooksListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the endpoints, with what they are told and how they are.",
        discussion: """
            Example:
              swiftlet webhooks list
            """
    )

    func run() async throws {
        try await Terminal.run {
            let rows = try WebhookDirectory.open().list()
            for line in TextTable(header: WebhookDirectory.header, rows: rows).lines { Terminal.say(line) }
        }
    }
}
