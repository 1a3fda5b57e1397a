import ArgumentParser
import SwiftletWebhooks

struct WebhooksRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Tell an endpoint nothing any more",
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
            Terminal.say("webhook \(id)  removes its triggers and its log.:is removed")
        }
    }
}
