import ArgumentParser
import SwiftletBackups
import SwiftletEssentials
import SwiftletProcesses

struct BackupPointInTimeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pitr",
        abstract: "Write pgBackRest's configuration, by which the database goes back to any moment.",
        discussion: """
            For a PostgreSQL of your own, on its machine; managed ones have this built in. The file is for the user that \
            PostgreSQL runs as. It prints what PostgreSQL has to be told, and what to run then. With --check, pgBackRest \
            itself tries whether the log arrives. Files of objects stay where they are: STORAGE_PURGE_AFTER must be longer \
            than the time you go back.

            Examples:
              swiftlet backup pitr --repository /var/lib/pgbackrest --output /etc/pgbackrest.conf
              swiftlet backup pitr --repository s3://bucket/log --output /etc/pgbackrest.conf --check
            """
    )

    @Option(help: "A folder, or s3://bucket/path with BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY.")
    var repository: String

    @Option(help: "The file to write.")
    var output: String

    @Option(help: "pgBackRest's name for this server.")
    var stanza = "swiftlet"

    @Option(help: "So many full backups are kept, and the log since the oldest.")
    var keep = 2

    @Flag(help: "Run pgbackrest check: it must be installed, and this user be that of PostgreSQL.")
    var check = false

    func validate() throws {
        guard (1...1000).contains(keep) else { throw ValidationError("--keep is a number from 1 to 1000.") }
        guard output.hasPrefix("/") else {
            throw ValidationError("--output is a whole path: PostgreSQL runs elsewhere.")
        }
    }

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let configuration = try PointInTimeConfiguration(
                DatabaseSettings(environment).url,
                stanza: stanza,
                try place(environment),
                fullBackups: keep
            )
            // It may hold the bucket's key, so nobody else reads it, not even for a moment.
            do {
                try SecretFile.write(configuration.text, to: output)
            } catch {
                throw CommandFailure("\(output) cannot be written")
            }
            Terminal.say("\(output) is written: chown it to the user of PostgreSQL")
            let statements = configuration.statements(configurationPath: output)
            if statements.isEmpty {
                Terminal.say("PostgreSQL keeps its log there already")
            } else {
                Self.say("tell PostgreSQL, as a superuser:", statements)
            }
            let commands = configuration.commands(configurationPath: output)
            Self.say("then, as the user of PostgreSQL:", commands.first)
            Self.say("back to a moment, beside what runs (SELECT pg_switch_wal() there first):", commands.restoring)
            Self.say("or in its place, with PostgreSQL stopped:", commands.replacing)
            if check { try Self.check(output, stanza) }
        }
    }

    private static func say(_ title: String, _ lines: [String]) {
        Terminal.say(title)
        for line in lines { Terminal.say("  \(line)") }
    }

    private func place(_ environment: Environment) throws -> PointInTimeConfiguration.Repository {
        guard repository.hasPrefix("s3://") else {
            guard repository.hasPrefix("/") else {
                throw ValidationError("--repository is a whole path, or s3://bucket/path.")
            }
            return .folder(repository)
        }
        let parts = repository.dropFirst(5).split(separator: "/", maxSplits: 1)
        guard let bucket = parts.first, let key = environment["BACKUP_S3_ACCESS_KEY"],
            let secret = environment["BACKUP_S3_SECRET_KEY"]
        else {
            throw ConfigurationError([
                "--repository s3://bucket/path needs BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY"
            ])
        }
        let region = environment["BACKUP_S3_REGION"] ?? "us-east-1"
        let endpoint = environment["BACKUP_S3_ENDPOINT"] ?? "https://s3.\(region).amazonaws.com"
        guard !endpoint.hasPrefix("http://") else {
            throw ConfigurationError(["BACKUP_S3_ENDPOINT is http: pgBackRest speaks https only"])
        }
        return .bucket(
            name: String(bucket),
            path: parts.count > 1 ? String(parts[1]) : "pgbackrest",
            endpoint: endpoint.replacing(/^https:\/\//, with: ""),
            region: region,
            key: key,
            secret: secret
        )
    }

    private static func check(_ configuration: String, _ stanza: String) throws {
        let result = try ChildProgram.output(
            of: [
                "/usr/bin/env", "pgbackrest", "--config=\(configuration)", "--stanza=\(stanza)",
                "--log-level-console=info", "check",
            ],
            PostgresProgram.environment()
        )
        Terminal.say(result.output)
        guard result.status == 0 else {
            throw CommandFailure(
                "pgbackrest check has ended with status \(result.status): is it installed, and was stanza-create run?"
            )
        }
    }
}
