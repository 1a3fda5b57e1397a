import ArgumentParser
import SwiftletMigrations
import SwiftletPostgres

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Apply, list or create migrations: the server's own, and the SQL files in migrations/.",
        discussion: """
            The files are in MIGRATIONS_DIR, else in ./migrations, else next to the executable. The database is \
            DATABASE_URL, else that of a `swiftlet dev` running in this folder.

            Examples:
              swiftlet migrate                 apply pending migrations
              swiftlet migrate up --dry-run    print what would run, and try it
              swiftlet migrate status
              swiftlet migrate new add_phone
            """,
        subcommands: [Up.self, Status.self, New.self, MigrateDistributeCommand.self],
        defaultSubcommand: Up.self
    )

    struct Up: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Apply pending migrations, each file in its own transaction.",
            discussion: """
                Example:
                  swiftlet migrate up --dry-run
                """
        )

        @Flag(help: "Print what would run, and try it in a transaction that is rolled back.")
        var dryRun = false

        func run() async throws {
            try await Terminal.run {
                let (migrator, url) = try MigrateCommand.migrator()
                guard !dryRun else { return try preview(migrator) }
                let names = try migrator.apply { Terminal.say("applied \($0)") }
                guard !names.isEmpty else { return Terminal.say("nothing to apply") }
                for finding in try AdoptionExamination.findings(BlockingConnection.connect(to: url)) {
                    Terminal.say("\(finding)")
                }
            }
        }

        private func preview(_ migrator: Migrator) throws {
            let plan = try migrator.plan()
            for file in plan.pending { Terminal.say("-- \(file.name)\n\(file.text)") }
            for hazard in plan.hazards { Terminal.say("-- note: \(hazard)") }
            let tried = try migrator.rehearse()
            Terminal.say("-- \(tried.count) pending, tried and rolled back: nothing applied")
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List every migration and when it was applied.",
            discussion: """
                Exits with 1 if an applied file was edited.

                Example:
                  swiftlet migrate status
                """
        )

        func run() async throws {
            try await Terminal.run {
                let entries = try MigrateCommand.migrator().migrator.status()
                let rows = entries.map { cells($0.state) + [$0.owner, $0.name] }
                for line in TextTable(header: ["STATE", "APPLIED", "OWNER", "FILE"], rows: rows).lines {
                    Terminal.say(line)
                }
                if entries.contains(where: \.isEdited) { throw ExitCode.failure }
            }
        }

        private func cells(_ state: Migrator.Entry.State) -> [String] {
            switch state {
            case .pending: ["pending", ""]
            case .applied(let time): ["applied", time]
            case .edited(let time): ["EDITED", time]
            case .missing(let time): ["no file", time]
            }
        }
    }

    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a file with the next number: an empty one, or one that makes a table.",
            discussion: """
                A database that can be reached is asked which numbers it knows already. With --scope, NAME is the \
                table's, and the file has all that keeps its rows apart: ready to be filled in.

                Examples:
                  swiftlet migrate new add_phone
                  swiftlet migrate new sleep_logs --scope device
                """
        )

        @Argument(help: "Letters, digits and underscores.")
        var name: String

        @Option(help: "The folder in migrations/ to create it in, where there are several.")
        var owner: String?

        @Option(help: "Make a table whose rows belong to a device, a user or a tenant.")
        var scope: ScopedTable.Scope?

        func run() async throws {
            try await Terminal.run {
                let folder = try MigrationFolder.find(Environment.current()["MIGRATIONS_DIR"])
                let known = (try? MigrateCommand.migrator().migrator.highestNumbers()) ?? [:]
                Terminal.say(try folder.create(name, owner: owner, scope: scope) { known[$0] ?? 0 })
            }
        }
    }

    private static func migrator() throws -> (migrator: Migrator, url: String) {
        let environment = try Environment.current().withDevelopmentDefaults()
        let database = try DatabaseSettings(environment)
        let files = try AllMigrations.load(environment["MIGRATIONS_DIR"])
        return (Migrator(url: database.url, files: files), database.url)
    }
}

extension ScopedTable.Scope: ExpressibleByArgument {}
