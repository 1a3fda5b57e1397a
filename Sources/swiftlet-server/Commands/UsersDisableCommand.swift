import ArgumentParser

struct UsersDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable an account and end its sessions. `users enable` reverts it.",
        discussion: """
            Access tokens that were already issued stay valid until they expire, by default after an hour.

            Example:
              swiftlet users disable ada@acme.example
            """
    )

    @Argument(help: "The account's e-mail address.")
    var email: String

    func validate() throws { _ = try UsersCommand.address(email) }

    func run() async throws {
        try await Terminal.run {
            let address = try UsersCommand.address(email)
            try UsersCommand.open(UsersCommand.environment()).setEnabled(false, email: address)
            Terminal.say("\(address) cannot sign in any more")
        }
    }
}
