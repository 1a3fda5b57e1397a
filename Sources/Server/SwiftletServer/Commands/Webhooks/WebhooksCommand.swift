import ArgumentParser
import SwiftletWebhooks

struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Post changes of rows and events of functions to URLs, and see what came of it.",
        discussion: """
            The database is DATABASE_URL, else that of a `swiftlet dev` running in this folder.

            Examples:
              swiftlet webhooks add https://example.com/hook --table tasks --operation insert
              swiftlet webhooks add https://example.com/hook --event invoice.paid --tenant acme
              swiftlet webhooks list
              swiftlet webhooks log --state failed
              swiftlet webhooks show 4711
              swiftlet webhooks replay 4711
              swiftlet webhooks rotate 7
              swiftlet webhooks pause 7
              swiftlet webhooks resume 7
              swiftlet webhooks remove 7
            """,
        subcommands: [
            WebhooksListCommand.self, WebhooksAddCommand.self, WebhooksRemoveCommand.self, WebhooksLogCommand.self,
            WebhooksShowCommand.self, WebhooksReplayCommand.self, WebhooksRotateCommand.self,
            WebhooksPauseCommand.self, WebhooksResumeCommand.self,
        ]
    )
}

extension WebhookDirectory {
    /// Of the database that the settings name.
    static func open() throws -> WebhookDirectory {
        try WebhookDirectory(DatabaseSettings(try Environment.current().withDevelopmentDefaults()).url)
    }
}
