import ArgumentParser
import SwiftletJobs

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "List, show, retry and cancel jobs.",
        discussion: """
            The database is DATABASE_URL, else that of a `swiftlet dev` running in this folder.

            Examples:
              swiftlet jobs list --state failed
              swiftlet jobs show 4711
              swiftlet jobs retry 4711
              swiftlet jobs retry --all --job deliver-push
              swiftlet jobs cancel 4711
            """,
        subcommands: [JobsListCommand.self, JobsShowCommand.self, JobsRetryCommand.self, JobsCancelCommand.self]
    )
}

extension JobDirectory {
    /// Of the database that the settings name.
    static func open() throws -> JobDirectory {
        try JobDirectory(DatabaseSettings(try Environment.current().withDevelopmentDefaults()).url)
    }
}
