import ArgumentParser
import SwiftletConsole

struct ConsoleRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Let somebody enter no more; their sessions end at once.",
        discussion: """
            Example:
              swiftlet console remove ada@acme.example
            """
    )

    @Argument(help: "The name, as swiftlet console list shows it.")
    var name: String

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let environment = try Environment.current().withDevelopmentDefaults()
            let wasThere = try await CommandDatabase.use(environment) {
                try await Sessions(database: $0).removeOperator(name)
            }
            guard wasThere else { throw CommandFailure("there is no operator \(name)") }
            Terminal.say("\(name) enters no more")
        }
    }
}
