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

    @Argument(help: "The account's e-mail address.", transform: UserArguments.address)
    var email: String

    func run() async throws {
        try await Terminal.run {
            try UserArguments.open(UserArguments.environment()).setEnabled(false, email: email)
            Terminal.say("\(email) cannot sign in any more")
        }
    }
}
