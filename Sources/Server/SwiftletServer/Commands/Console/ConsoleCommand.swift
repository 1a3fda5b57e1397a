import ArgumentParser

struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Make a link that enters the console once, and say who may enter with a password.",
        discussion: """
            The database is DATABASE_URL, else that of a `swiftlet dev` running in this folder: whoever has it may do \
            everything already. The server must run with CONSOLE=on; `swiftlet dev` does.

            Examples:
              swiftlet console
              swiftlet console add ada@acme.example --role editor
            """,
        subcommands: [
            ConsoleLinkCommand.self, ConsoleAddCommand.self, ConsoleListCommand.self, ConsoleRemoveCommand.self,
        ],
        defaultSubcommand: ConsoleLinkCommand.self
    )
}
