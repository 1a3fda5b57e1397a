import ArgumentParser

struct UsersEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Enable a disabled account.",
        discussion: """
            Example:
              swiftlet users enable ada@acme.example
            """
    )

    @Argument(help: "The account's e-mail address, phone number or id.", transform: AccountName.parse)
    var account: AccountName

    func run() async throws {
        try await Terminal.run {
            try UserArguments.open(UserArguments.environment()).setEnabled(true, of: account)
            Terminal.say("\(account) can sign in again")
        }
    }
}
