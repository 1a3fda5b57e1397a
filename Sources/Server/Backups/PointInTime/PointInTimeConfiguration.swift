import SwiftletPostgres

/// The configuration of pgBackRest for one PostgreSQL server, and what that server has to be told. The log is kept and
/// restored by pgBackRest alone: nothing here depends on its format.
package struct PointInTimeConfiguration: Equatable, Sendable {
    /// Where the backups and the log are kept.
    package enum Repository: Equatable, Sendable {
        case folder(String)
        case bucket(name: String, path: String, endpoint: String, region: String, key: String, secret: String)
    }

    package let stanza: String
    package let repository: Repository
    /// So many full backups are kept, and the log since the oldest of them.
    package let fullBackups: Int
    private let dataFolder: String
    private let port: String
    private let socketFolder: String
    private let user: String
    private let archiveMode: String
    private let archiveCommand: String
    private let walLevel: String
    private let archiveTimeout: String

    /// Asks the server. Throws ``BackupError/refused(_:)`` if this role may not know where its files are.
    package init(_ url: String, stanza: String, _ repository: Repository, fullBackups: Int) throws {
        guard stanza.wholeMatch(of: /[A-Za-z0-9_\-]{1,63}/) != nil else {
            throw BackupError.refused("a stanza's name has letters, digits, - and _ only")
        }
        let connection = try BlockingConnection.connect(to: url)
        let row =
            try connection.query(
                """
                SELECT current_setting('data_directory', true), current_setting('port'),
                    trim(split_part(current_setting('unix_socket_directories', true), ',', 1)), current_user,
                    current_setting('archive_mode'), current_setting('archive_command', true),
                    current_setting('wal_level'), current_setting('archive_timeout')
                """
            ).first ?? []
        let cells = row.map { $0 ?? "" }
        guard cells.count == 8, !cells[0].isEmpty else {
            throw BackupError.refused(
                "this role may not know where the database's files are: GRANT pg_read_all_settings TO it, or use a superuser's DATABASE_URL"
            )
        }
        (self.stanza, self.repository, self.fullBackups) = (stanza, repository, fullBackups)
        (dataFolder, port, socketFolder, user) = (cells[0], cells[1], cells[2], cells[3])
        (archiveMode, archiveCommand, walLevel, archiveTimeout) = (cells[4], cells[5], cells[6], cells[7])
    }

    /// The file `pgbackrest.conf`. Holds the bucket's key.
    package var text: String {
        var lines = ["[global]"]
        switch repository {
        case .folder(let path): lines.append("repo1-path=\(path)")
        case .bucket(let name, let path, let endpoint, let region, let key, let secret):
            lines += [
                "repo1-type=s3", "repo1-path=/\(path)", "repo1-s3-bucket=\(name)", "repo1-s3-endpoint=\(endpoint)",
                "repo1-s3-region=\(region)", "repo1-s3-key=\(key)", "repo1-s3-key-secret=\(secret)",
                "repo1-s3-uri-style=path",
            ]
        }
        lines += [
            "repo1-retention-full=\(fullBackups)", "repo1-bundle=y", "start-fast=y", "compress-type=zst", "",
            "[\(stanza)]", "pg1-path=\(dataFolder)", "pg1-port=\(port)", "pg1-user=\(user)",
        ]
        if !socketFolder.isEmpty { lines.append("pg1-socket-path=\(socketFolder)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Settings of PostgreSQL that are not as they should be, as statements for a superuser. The first needs a restart.
    package func statements(configurationPath: String) -> [String] {
        var statements: [String] = []
        if walLevel == "minimal" { statements.append("ALTER SYSTEM SET wal_level = 'replica'; -- and a restart") }
        if archiveMode == "off" { statements.append("ALTER SYSTEM SET archive_mode = 'on'; -- and a restart") }
        // The log of a quiet server would else stay where it is until 16 MB of it are full.
        if archiveTimeout == "0" { statements.append("ALTER SYSTEM SET archive_timeout = '60s';") }
        let command = "pgbackrest --config=\(configurationPath) --stanza=\(stanza) archive-push %p"
        if archiveCommand != command {
            let literal = command.replacing("'", with: "''")
            statements.append("ALTER SYSTEM SET archive_command = '\(literal)';")
        }
        return statements.isEmpty ? [] : statements + ["SELECT pg_reload_conf();"]
    }

    /// What the user of PostgreSQL runs then, line by line, for a shell.
    package func commands(configurationPath: String) -> (first: [String], restoring: [String], replacing: [String]) {
        let program = "pgbackrest --config=\(configurationPath) --stanza=\(stanza)"
        let moment = "--type=time '--target=2026-11-27 12:00:00+00' --target-action=promote"
        let beside = "\(dataFolder)-restored"
        return (
            ["\(program) stanza-create", "\(program) check", "\(program) backup  # daily; weekly with --type=full"],
            [
                "mkdir -m 700 \(beside)",
                "\(program) --pg1-path=\(beside) --archive-mode=off \(moment) restore",
            ],
            ["\(program) --delta \(moment) restore"]
        )
    }
}
