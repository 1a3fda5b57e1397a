import ArgumentParser
import SwiftletConsole

struct ConsoleListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List who may enter the console with a password.",
        discussion: """
            Example:
              swiftlet console list
            """
    )

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let rows = try await CommandDatabase.use(environment) { try await Sessions(database: $0).operators() }
            for line in TextTable(header: ["NAME", "ROLE"], rows: rows.map { [$0.name, $0.role] }).lines {
                Terminal.say(line)
            }
        }
    }
}
