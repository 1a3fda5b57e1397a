import ArgumentParser
import Description
import SignIn

struct GenerateOpenAPICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi",
        abstract: "OpenAPI 3.1 of the functions: routes, parameters, bodies, answers.",
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
            try output.put(OpenAPIDocument(functions, in: schema, version: Version.text).text)
        }
    }
}
