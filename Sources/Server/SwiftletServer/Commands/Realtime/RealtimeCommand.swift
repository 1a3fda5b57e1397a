import ArgumentParser
import SwiftletRealtime

struct RealtimeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realtime",
        abstract: "Choose the tables whose changes apps are told, and see how they are read.",
        discussion: """
            The database is DATABASE_URL, else that of a `swiftlet dev` running in this folder.

            Examples:
              swiftlet realtime add tasks
              swiftlet realtime add archive.messages --key-only
              swiftlet realtime remove tasks
              swiftlet realtime status
              swiftlet realtime off
            """,
        subcommands: [
            RealtimeAddCommand.self, RealtimeRemoveCommand.self, RealtimeStatusCommand.self, RealtimeOffCommand.self,
        ]
    )
}

extension ChangeDirectory {
    /// Of the database that the settings name.
    static func open() throws -> ChangeDirectory {
        try ChangeDirectory(DatabaseSettings(try Environment.current().withDevelopmentDefaults()).url)
    }
}
