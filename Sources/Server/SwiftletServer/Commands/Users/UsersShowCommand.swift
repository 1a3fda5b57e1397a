import ArgumentParser

struct UsersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an account: address, number, sign-in methods, factors, passkeys, sessions.",
        discussion: """
            Examples:
              swiftlet users show ada@acme.example
              swiftlet users show +4915112345678
            """
    )

    @Argument(help: "The account's e-mail address, phone number or id.", transform: AccountName.parse)
    var account: AccountName

    func run() async throws {
        try await Terminal.run {
            let rows = try UserArguments.open(UserArguments.environment()).show(account)
            for line in TextTable(header: ["WHAT", "VALUE"], rows: rows).lines { Terminal.say(line) }
        }
    }
}
