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

    /// Only needs the database's settings, none of the server's others.
    static func open(_ environment: Environment) throws -> UserDirectory {
        var reader = SettingsReader(environment)
        let database = DatabaseSettings(&reader)
        guard reader.faults.isEmpty else { throw ConfigurationError(reader.faults) }
        return try UserDirectory(database.url)
    }

    static func environment() throws -> Environment { try Environment.current().withDevelopmentDefaults() }

    /// Lower-cased, as accounts are stored and found.
    static func address(_ text: String) throws -> String {
        guard let address = MailAddress(rawValue: text.lowercased()) else {
            throw ValidationError("'\(text)' is not an e-mail address.")
        }
        return address.rawValue
    }

    /// Reads a password and hashes it with the server's settings.
    static func readHash(_ environment: Environment) throws -> String {
        var reader = SettingsReader(environment)
        let minimum = reader.integer("PASSWORD_MIN_LENGTH", default: 6, in: 1...PasswordHash.maximumBytes)
        let cost = reader.integer("BCRYPT_COST", default: 10, in: PasswordHash.costs)
        guard reader.faults.isEmpty else { throw ConfigurationError(reader.faults) }
        let password = try PasswordPrompt.readNew()
        guard password.utf8.count >= minimum else {
            throw CommandFailure("the password is too short: at least \(minimum) characters")
        }
        return try PasswordHash.make(password, cost: cost)
    }
}
