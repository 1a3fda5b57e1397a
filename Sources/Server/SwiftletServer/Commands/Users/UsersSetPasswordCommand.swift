import ArgumentParser

struct UsersSetPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password",
        abstract: "Set an account's password, end its sessions and unlock it.",
        discussion: """
            Servers refuse access tokens that were already issued at once.

            Example:
              swiftlet users set-password ada@acme.example
            """
    )

    @Argument(help: "The account's e-mail address, phone number or id.", transform: AccountName.parse)
    var account: AccountName

    func run() async throws {
        try await Terminal.run {
            let environment = try UserArguments.environment()
            let directory = try UserArguments.open(environment)
            try directory.setPassword(UserArguments.readHash(environment), of: account)
            Terminal.say("\(account) has a new password; all sessions have ended")
        }
    }
}
