import ArgumentParser
import SwiftletWebhooks

struct WebhooksReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Deliver a message once more, with the same id, or all that have failed.",
        discussion: """
            Examples:
              swiftlet webhooks replay 4711
              swiftlet webhooks replay --failed --webhook 7
            """
    )

    @Argument(help: "The delivery's id, as `webhooks log` shows it.")
    var id: Int?

    @Flag(help: "All deliveries that have failed.")
    var failed = false

    @Option(help: "With --failed: only those to this endpoint.")
    var webhook: Int?

    func validate() throws {
        guard failed == (id == nil) else { throw ValidationError("Name either a delivery's id or --failed.") }
    }

    func run() async throws {
        try await Terminal.run {
            let directory = try WebhookDirectory.open()
            if let id {
                guard try directory.replay(id) else { throw CommandFailure("there is no delivery \(id)") }
                Terminal.say("delivery \(id) begins anew")
            } else {
                let count = try directory.replayFailed(of: webhook)
                Terminal.say("\(count) \(count == 1 ? "delivery begins" : "deliveries begin") anew")
            }
        }
    }
}
