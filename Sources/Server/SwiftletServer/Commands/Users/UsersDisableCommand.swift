import ArgumentParser

struct UsersDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable an account and end its sessions. `users enable` reverts it.",
        discussion: """
            Servers refuse access tokens that were already issued at once.

            Example:
              swiftlet users disable ada@acme.example
            """
    )

    @Argument(help: "The account's e-mail address, phone number or id.", transform: AccountName.parse)
    var account: AccountName

    func run() async throws {
        try await Terminal.run {
            try UserArguments.open(UserArguments.environment()).setEnabled(false, of: account)
            Terminal.say("\(account) cannot sign in any more")
        }
    }
}
