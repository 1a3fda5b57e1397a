import ArgumentParser

struct GenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write what apps need to know of this server: types of the tables, the interface of the functions.",
        discussion: """
            The database is DATABASE_URL, else that of a `swiftlet dev` running in this folder.

            Examples:
              swiftlet generate swift -o App/Models.swift
              swiftlet generate swift -o App/Models.swift --check
              swiftlet generate typescript -o src/database.types.ts
            """,
        subcommands: [
            GenerateSwiftCommand.self, GenerateTypeScriptCommand.self, GenerateOpenAPICommand.self,
            GenerateSummariesCommand.self,
        ]
    )
}
