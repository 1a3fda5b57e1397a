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

    @Argument(help: "The account's e-mail address.")
    var email: String

    func validate() throws { _ = try UsersCommand.address(email) }

    func run() async throws {
        try await Terminal.run {
            let address = try UsersCommand.address(email)
            try UsersCommand.open(UsersCommand.environment()).setEnabled(true, email: address)
            Terminal.say("\(address) can sign in again")
        }
    }
}
