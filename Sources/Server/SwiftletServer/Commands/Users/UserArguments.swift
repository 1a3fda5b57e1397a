import SwiftletAuth
import SwiftletSignIn

/// What the commands on accounts have in common.
enum UserArguments {
    static func open(_ environment: Environment) throws -> UserDirectory {
        try UserDirectory(DatabaseSettings(environment).url)
    }

    static func environment() throws -> Environment { try Environment.current().withDevelopmentDefaults() }

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
        for set in rules.requiredPasswordCharacters where !password.contains(where: set.contains) {
            throw CommandFailure("the password needs a character of these: \(set)")
        }
        return try PasswordHash.make(password, cost: rules.bcryptCost)
    }
}
