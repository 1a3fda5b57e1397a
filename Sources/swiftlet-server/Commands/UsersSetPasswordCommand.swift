import ArgumentParser

struct UsersSetPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password",
        abstract: "Set an account's password, end its sessions and unlock it.",
        discussion: """
            Access tokens that were already issued stay valid until they expire, by default after an hour.

            Example:
              swiftlet users set-password ada@acme.example
            """
    )

    @Argument(help: "The account's e-mail address.")
    var email: String

    func validate() throws { _ = try UsersCommand.address(email) }

    func run() async throws {
        try await Terminal.run {
            let environment = try UsersCommand.environment()
            let directory = try UsersCommand.open(environment)
            let address = try UsersCommand.address(email)
            try directory.setPassword(UsersCommand.readHash(environment), email: address)
            Terminal.say("\(address) has a new password; all sessions have ended")
        }
    }
}
