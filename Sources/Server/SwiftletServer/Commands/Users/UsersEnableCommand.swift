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

    @Argument(help: "The account's e-mail address.", transform: UserArguments.address)
    var email: String

    func run() async throws {
        try await Terminal.run {
            try UserArguments.open(UserArguments.environment()).setEnabled(true, email: email)
            Terminal.say("\(email) can sign in again")
        }
    }
}
