import ArgumentParser
import SwiftletWebhooks

struct WebhooksResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Take up an endpoint that was paused, with what was held back meanwhile.",
        discussion: """
            Example:
              swiftlet webhooks resume 7
            """
    )

    @Argument(help: "The endpoint's id, as `webhooks list` shows it.")
    var id: Int

    func run() async throws {
        try await Terminal.run {
            guard let count = try WebhookDirectory.open().resume(id) else {
                throw CommandFailure("there is no webhook \(id)")
            }
            Terminal.say(
                "webhook \(id) is active; \(count) \(count == 1 ? "delivery was" : "deliveries were") held back"
            )
        }
    }
}
