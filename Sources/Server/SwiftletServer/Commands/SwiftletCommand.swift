import ArgumentParser

struct SwiftletCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftlet",
        abstract: "A self-hosted edge-function server: HTTP in, PostgreSQL out.",
        discussion: """
            Try it, with a database of its own:
              swiftlet dev
            In production:
              DATABASE_URL=… JWT_SECRET=… swiftlet serve

            Settings come from the environment, or from a .env file in the working directory.
            """,
        version: Version.text,
        subcommands: [
            DevCommand.self, ServeCommand.self, MigrateCommand.self, TokenCommand.self, KeysCommand.self,
            StatusCommand.self, LogsCommand.self, DatabaseCommand.self, UsersCommand.self, JobsCommand.self,
            RealtimeCommand.self, WebhooksCommand.self, PushCommand.self,
            FunctionsCommand.self, BackupCommand.self, ImportCommand.self, StorageCommand.self,
            GenerateCommand.self, NewCommand.self, ConsoleCommand.self, AccessCommand.self,
            DoctorCommand.self, HealthcheckCommand.self, CompletionsCommand.self,
        ]
    )
}
