import ArgumentParser
import SwiftletWebhooks

struct WebhooksShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what is kept of a delivery. Its body may name people.",
        discussion: """
            Example:
              swiftlet webhooks show 4711
            """
    )

    @Argument(help: "The delivery's id, as `webhooks log` shows it.")
    var id: Int

    func run() async throws {
        try await Terminal.run {
            guard let values = try WebhookDirectory.open().show(id) else {
                throw CommandFailure("there is no delivery \(id)")
            }
            let table = TextTable(header: ["FIELD", "VALUE"], rows: values.map { [$0.name, $0.value] })
            for line in table.lines { Terminal.say(line) }
        }
    }
}
