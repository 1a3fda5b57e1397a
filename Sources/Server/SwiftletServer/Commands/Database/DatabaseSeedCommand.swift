import ArgumentParser

struct DatabaseSeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed",
        abstract: "Run seed.sql, all of it or nothing.",
        discussion: """
            `swiftlet dev` runs it once, in a new database; this runs it again.

            Example:
              swiftlet db seed --file seed.sql
            """
    )

    @Option(help: "The script.")
    var file = "seed.sql"

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            guard let seed = SeedScript(file) else {
                throw CommandFailure("there is no script \(file) that can be read")
            }
            try seed.run(in: DatabaseSettings(environment).url)
            Terminal.say("ran \(file)")
        }
    }
}
