import ArgumentParser

struct UsersSignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "End all sessions of an account, on every device.",
        discussion: """
            The servers refuse its access tokens at once. It can sign in again: `users disable` prevents that.

            Example:
              swiftlet users sign-out ada@acme.example
            """
    )

    @Argument(help: "The account's e-mail address, phone number or id.", transform: AccountName.parse)
    var account: AccountName

    func run() async throws {
        try await Terminal.run {
            let count = try UserArguments.open(UserArguments.environment()).signOut(account)
            let end = count == 1 ? "there was one session" : "there were \(count) sessions"
            Terminal.say(count == 0 ? "\(account) has no session" : "\(account) is signed out; \(end)")
        }
    }
}
