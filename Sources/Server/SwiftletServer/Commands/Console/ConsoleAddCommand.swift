import ArgumentParser
import SwiftletAuth
import SwiftletConsole

struct ConsoleAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Let somebody enter with a password, or change their role and password.",
        discussion: """
            Viewers read, with secrets masked. Editors change rows, jobs and users. Owners also write SQL, act as users \
            and decide who enters. The password is prompted for, or read from standard input. Sessions that the operator \
            has end.

            Example:
              swiftlet console add ada@acme.example --role editor
            """
    )

    @Argument(help: "The name, usually an e-mail address.")
    var name: String

    @Option(help: "viewer, editor or owner.", transform: Self.role)
    var role: Operator.Role

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let password = try PasswordPrompt.readNew()
            try Sessions.check(name, password)
            let hash = try PasswordHash.make(password, cost: 10)
            try await CommandDatabase.use(environment) { database in
                try await Sessions(database: database).setOperator(name, role: role, passwordHash: hash)
            }
            Terminal.say("\(name) can enter as \(role.rawValue)")
        }
    }

    @Sendable private static func role(_ text: String) throws -> Operator.Role {
        guard let role = Operator.Role(rawValue: text) else {
            throw ValidationError("it must be viewer, editor or owner.")
        }
        return role
    }
}
