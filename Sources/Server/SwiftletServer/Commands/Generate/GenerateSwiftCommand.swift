import ArgumentParser
import SwiftletInterface

struct GenerateSwiftCommand: AsyncParsableCommand {
    enum Access: String, ExpressibleByArgument, CaseIterable {
        case `public`, package, `internal`
    }

    static let configuration = CommandConfiguration(
        commandName: "swift",
        abstract: "Swift types for the rows of each table: one file that needs Foundation alone.",
        discussion: """
            Example:
              swiftlet generate swift --tables tasks,deals -o App/Models.swift
            """
    )

    @Option(help: "Tables and views, separated by commas; all of the schema otherwise.")
    var tables: String?

    @Option(help: "The schema.")
    var schema = "public"

    @Option(help: "public, package or internal.")
    var access = Access.public

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await Terminal.run {
            let description = try SchemaDescription.read(schema, tables: tables)
            try output.put(SwiftModels(description, access: access.rawValue).text)
        }
    }
}
