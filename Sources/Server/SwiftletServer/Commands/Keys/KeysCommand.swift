import ArgumentParser
import SwiftletAuth
import SwiftletEssentials

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Print a new JWT secret with its anon and service keys, as .env lines.",
        discussion: """
            Without a subcommand it prints a new secret; the subcommands replace the private key that signs tokens.

            Examples:
              touch .env && chmod 600 .env && swiftlet keys >> .env
              swiftlet keys make key.json
              swiftlet keys rotate
            """,
        subcommands: [KeysMakeCommand.self, KeysRotateCommand.self, KeysStatusCommand.self]
    )

    func run() async throws {
        try await Terminal.run {
            let keys = try ServerKeys.make(now: Int(Date().timeIntervalSince1970))
            Terminal.say(
                """
                JWT_SECRET=\(keys.secret)
                SUPABASE_ANON_KEY=\(keys.anonymousKey)
                SUPABASE_SERVICE_ROLE_KEY=\(keys.serviceKey)
                """
            )
        }
    }
}
