import ArgumentParser
import SwiftletEssentials
import SwiftletMigrations
import SwiftletPostgres

struct DatabaseDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print what was changed by hand as the SQL of a migration.",
        discussion: """
            Applies the migrations to a new database beside the present one, compares the app's schemas and removes it \
            again: tables, columns, constraints, indexes, views, functions, types, triggers, policies and rights. What \
            would drop something, narrow a type or open what is closed is printed as a comment. Renamed columns look like one dropped and one added: read it \
            before you apply it. The role must be allowed to make databases.

            Examples:
              swiftlet db diff
              swiftlet db diff --write add_phone
            """
    )

    @Option(help: "Write a migration of this name, and note that this database has it.")
    var write: String?

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let url = try DatabaseSettings(environment).url
            let files = try AllMigrations.load(environment["MIGRATIONS_DIR"])
            let pending = try Migrator(url: url, files: files).pending()
            guard pending.isEmpty else {
                throw CommandFailure("\(pending.count) migrations are pending: swiftlet migrate first")
            }
            let difference = try SchemaDifference.find(between: files, and: url)
            guard !difference.statements.isEmpty else { return Terminal.say("-- nothing was changed by hand") }
            let script = difference.statements.joined(separator: "\n\n") + "\n"
            guard let write else { return Terminal.say(script) }
            let folder = try MigrationFolder.find(environment["MIGRATIONS_DIR"])
            let highest = try Migrator(url: url, files: files).highestNumbers()
            let path = try folder.create(write) { highest[$0] ?? 0 }
            try Data(script.utf8).write(to: URL(fileURLWithPath: path))
            let known = Set(files.map { "\($0.owner)/\($0.name)" })
            let new = try AllMigrations.load(environment["MIGRATIONS_DIR"]).filter {
                !known.contains("\($0.owner)/\($0.name)")
            }
            try Migrator(url: url, files: new).markApplied()
            Terminal.say(path)
        }
    }
}
