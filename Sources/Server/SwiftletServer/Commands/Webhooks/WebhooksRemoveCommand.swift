import ArgumentParser
import SwiftletWebhooks

struct WebhooksRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Tell an endpoint nothing any more, and remove its triggers and its log.",
        discussion: """
            Example:
              swiftlet webhooks remove 7
            """
    )

    @Argument(help: "The endpoint's id, as `webhooks list` shows it.")
    var id: Int

    func run() async throws {
        try await Terminal.run {
            guard try WebhookDirectory.open().remove(id) else { throw CommandFailure("there is no webhook \(id)") }
            Terminal.say("webhook \(id) is removed")
        }
    }
}
