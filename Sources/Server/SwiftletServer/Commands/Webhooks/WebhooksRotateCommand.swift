import ArgumentParser
import SwiftletAuth
import SwiftletWebhooks

struct WebhooksRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Give an endpoint a new secret.",
        discussion: """
            Requests carry two signatures for a day, of the new secret and of the one before it (Standard Webhooks), so the \
            receiver can be changed meanwhile. --now is for a secret that others know.

            Examples:
              swiftlet webhooks rotate 7
              swiftlet webhooks rotate 7 --now
            """
    )

    @Argument(help: "The endpoint's id, as `webhooks list` shows it.")
    var id: Int

    @Option(help: "The secret, whsec_ and 24 to 64 bytes in Base64; a new one by default.")
    var secret: String?

    @Flag(help: "Sign with the new secret alone from now on.")
    var now = false

    func validate() throws { try WebhooksAddCommand.validate(secret) }

    func run() async throws {
        try await Terminal.run {
            let secret = try self.secret ?? WebhookSecret.make()
            guard try WebhookDirectory.open().rotate(id, to: secret, keepsFormer: !now) else {
                throw CommandFailure("there is no webhook \(id)")
            }
            let end = now ? "not used any more" : "used beside it for a day"
            Terminal.say("webhook \(id) has a new secret; the former one is \(end)")
            if self.secret == nil { Terminal.say("its secret, which is not shown again: \(secret)") }
        }
    }
}
