import ArgumentParser

struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Add, list, disable and enable accounts, and set passwords.",
        discussion: """
            The database is DATABASE_URL, else that of a `swiftlet dev` running in this folder. Passwords are prompted \
            for on the terminal or read from standard input, never from the command line, which other users can see.

            Examples:
              swiftlet users add ada@acme.example --tenant acme --role COMPANY_ADMIN
              swiftlet users list --tenant acme
              swiftlet users set-password ada@acme.example < password.txt
              swiftlet users disable ada@acme.example
            """,
        subcommands: [
            UsersAddCommand.self, UsersListCommand.self, UsersSetPasswordCommand.self, UsersDisableCommand.self,
            UsersEnableCommand.self,
        ]
    )
}
