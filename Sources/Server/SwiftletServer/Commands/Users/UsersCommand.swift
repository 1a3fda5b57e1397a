import ArgumentParser

struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Add, list, show, sign out, disable, enable and merge accounts, and set passwords.",
        discussion: """
            The database is DATABASE_URL, else that of a `swiftlet dev` running in this folder. Passwords are prompted \
            for on the terminal or read from standard input, never from the command line, which other users can see. An \
            account is named by its address, its phone number with the country's code, or its id.

            Examples:
              swiftlet users add ada@acme.example --tenant acme --role COMPANY_ADMIN
              swiftlet users list --tenant acme
              swiftlet users set-password ada@acme.example < password.txt
              swiftlet users sign-out ada@acme.example
              swiftlet users disable ada@acme.example
            """,
        subcommands: [
            UsersAddCommand.self, UsersListCommand.self, UsersShowCommand.self, UsersSetPasswordCommand.self,
            UsersSignOutCommand.self, UsersDisableCommand.self, UsersEnableCommand.self, UsersMergeCommand.self,
        ]
    )
}
