import ArgumentParser

struct AccessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "Say who may see and change which rows, by grants and row policies.",
        discussion: """
            The database is DATABASE_URL, else that of a `swiftlet dev` running in this folder. Nothing is changed: every \
            query runs in a transaction that is rolled back.

            Examples:
              swiftlet access matrix
              swiftlet access check
            """,
        subcommands: [AccessCheckCommand.self, AccessMatrixCommand.self]
    )
}
