import ArgumentParser
import SwiftletAuth
import SwiftletWebhooks

struct WebhooksAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Post changes of tables, or events of functions, to a URL.",
        discussion: """
            Each table gets a trigger, and nothing else of it is changed. The secret is printed once: receivers verify \
            signatures with it (Standard Webhooks).

            Examples:
              swiftlet webhooks add https://example.com/hook --table tasks --table archive.messages
              swiftlet webhooks add https://example.com/hook --table tasks --operation insert --operation delete
              swiftlet webhooks add https://example.com/hook --event invoice.paid --event invoice.sent
              swiftlet webhooks add https://example.com/hook --event '*' --tenant acme
            """
    )

    @Argument(help: "Where to post: an https URL; http only where WEBHOOK_ALLOW_PRIVATE is on.")
    var url: String

    @Option(help: "A table whose changes are told, with its schema unless that is public. May be repeated.")
    var table: [String] = []

    @Option(help: "Of the tables: insert, update or delete. May be repeated; all three by default.")
    var operation: [String] = []

    @Option(help: "An event of functions that is told, or * for all. May be repeated.")
    var event: [String] = []

    @Option(help: "Only this tenant's events, and rows with this tenant_id.")
    var tenant: String?

    @Option(help: "The secret, whsec_ and 24 to 64 bytes in Base64; a new one by default.")
    var secret: String?

    func validate() throws {
        guard !table.isEmpty || !event.isEmpty else { throw ValidationError("Name a --table or an --event.") }
        guard operation.allSatisfy(WebhookDirectory.operations.contains) else {
            throw ValidationError("--operation must be one of \(WebhookDirectory.operations.joined(separator: ", ")).")
        }
        guard event.allSatisfy(NewWebhook.isEvent) else {
            throw ValidationError("--event has letters, digits, dots, colons, hyphens and underscores, or is *.")
        }
        try Self.validate(secret)
        guard AddressSetting.isLink(url) else { throw ValidationError("The URL must be an https URL.") }
    }

    static func validate(_ secret: String?) throws(ValidationError) {
        guard secret.map(WebhookSecret.isAccepted) ?? true else {
            throw ValidationError("--secret must be whsec_ and 24 to 64 bytes in Base64.")
        }
    }

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let isSecure = AddressSetting.isRequestable(url) && url.lowercased().hasPrefix("https:")
            guard isSecure || WebhookSettings.allowsPrivate(environment) else {
                throw CommandFailure(
                    "the URL must be https, in ASCII and without a user name: http needs WEBHOOK_ALLOW_PRIVATE=on"
                )
            }
            let new = try NewWebhook(
                url,
                secret: secret,
                tables: table,
                operations: operation.isEmpty ? WebhookDirectory.operations : Array(Set(operation)).sorted(),
                events: event,
                tenant: tenant
            )
            guard let id = try WebhookDirectory.open().add(new) else {
                throw CommandFailure(
                    "one of the tables is not there, is Swiftlet's own, or has no tenant_id: \(table.joined(separator: ", "))"
                )
            }
            Terminal.say("webhook \(id) is added")
            if secret == nil { Terminal.say("its secret, which is not shown again: \(new.secret)") }
        }
    }
}
