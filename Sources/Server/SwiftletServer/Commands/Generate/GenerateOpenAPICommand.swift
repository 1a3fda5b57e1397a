import ArgumentParser
import SwiftletInterface
import SwiftletRest
import SwiftletSignIn

struct GenerateOpenAPICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi",
        abstract: "OpenAPI 3.1 of the functions and of /rest/v1: routes, parameters, bodies, answers.",
        discussion: """
            Example:
              swiftlet generate openapi -o openapi.json
            """
    )

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let schema = try await CommandDatabase.schema(environment)
            let functions = RunningApp.current.functions + [SignIn.mobileRoutes, SignIn.deviceRoutes]
            var reader = SettingsReader(environment)
            let rest = RestSettings.read(&reader)?.schemas.first
            try reader.finish()
            try output.put(
                OpenAPIDocument(
                    functions,
                    in: schema,
                    restSchema: rest,
                    version: Version.text,
                    summaries: RunningApp.current.summaries.merging(AuthDescription.summaries) { own, _ in own }
                )
                .text
            )
        }
    }
}
