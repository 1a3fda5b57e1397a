import ArgumentParser
import Auth
import SignIn

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

    static func open(_ environment: Environment) throws -> UserDirectory {
        try UserDirectory(DatabaseSettings(environment).url)
    }

    static func environment() throws -> Environment { try Environment.current().withDevelopmentDefaults() }

    /// Lower-cased, as accounts are stored and found.
    @Sendable static func address(_ text: String) throws -> String {
        guard let address = MailAddress(rawValue: text.lowercased()) else {
            throw ValidationError("it is not an e-mail address.")
        }
        return address.rawValue
    }

    /// Reads a password and hashes it with the server's settings.
    static func readHash(_ environment: Environment) throws -> String {
        var reader = SettingsReader(environment)
        var rules = SignInSettings()
        rules.readPasswordRules(&reader)
        try reader.finish()
        let password = try PasswordPrompt.readNew()
        guard password.utf8.count >= rules.minimumPasswordBytes else {
            throw CommandFailure("the password is too short: at least \(rules.minimumPasswordBytes) bytes")
        }
        return try PasswordHash.make(password, cost: rules.bcryptCost)
    }
}
