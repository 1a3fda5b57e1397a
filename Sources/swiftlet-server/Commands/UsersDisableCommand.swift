import ArgumentParser

struct UsersDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Let somebody in no more, and end the sessions. `users enable` undoes it.",
        discussion: """
            Access tokens that are out stay valid until they expire, an hour at most by default.

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
