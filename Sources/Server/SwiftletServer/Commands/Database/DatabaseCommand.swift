import ArgumentParser

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db",
        abstract: "Work on the database: a shell, what was changed by hand, rows to begin with.",
        discussion: """
            The database is DATABASE_URL, else that of a `swiftlet dev` running in this folder.

            Examples:
              swiftlet db shell
              swiftlet db shell --role anon -c "SELECT count(*) FROM tasks"
              swiftlet db diff --write add_phone
              swiftlet db seed
            """,
        subcommands: [DatabaseShellCommand.self, DatabaseDiffCommand.self, DatabaseSeedCommand.self]
    )
}
