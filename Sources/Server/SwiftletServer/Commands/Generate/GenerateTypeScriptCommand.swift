import ArgumentParser
import SwiftletInterface

struct GenerateTypeScriptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "typescript",
        abstract: "Types for createClient<Database> of supabase-js.",
        discussion: """
            Example:
              swiftlet generate typescript -o src/database.types.ts
            """
    )

    @Option(help: "Tables and views, separated by commas; all of the schema otherwise.")
    var tables: String?

    @Option(help: "Schemas, separated by commas.")
    var schema = "public"

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await Terminal.run {
            let schemas = try schema.split(separator: ",").map {
                try SchemaDescription.read(String($0), tables: tables)
            }
            try output.put(TypeScriptModels(schemas).text)
        }
    }
}
