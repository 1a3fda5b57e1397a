import ArgumentParser
import SwiftletWebhooks

struct WebhooksPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Hold back what an endpoint is told, until it is resumed.",
        discussion: """
            Example:
              swiftlet webhooks pause 7
            """
    )

    @Argument(help: "The endpoint's id, as `webhooks list` shows it.")
    var id: Int

    func run() async throws {
        try await Terminal.run {
            guard try WebhookDirectory.open().pause(id) else { throw CommandFailure("there is no webhook \(id)") }
            Terminal.say("webhook \(id) is paused")
        }
    }
}
