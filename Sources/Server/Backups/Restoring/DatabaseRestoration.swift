import SwiftletAuth
import SwiftletBlockingPool
import SwiftletEssentials
import SwiftletPostgres
import SwiftletProcesses
import SwiftletStorage

/// Brings the rows of a backup into an empty database, all or none of them.
struct DatabaseRestoration: Sendable {
    let url: String
    let threads: BlockingPool

    /// Throws ``BackupError/databaseNotEmpty(_:)``, and if programs are missing.
    func check() async throws {
        let session = try await DatabaseSession.open(url, threads)
        let found = try await session.run { connection in
            try connection.query(Self.contents).compactMap { $0.first ?? nil }
        }
        guard found.isEmpty else { throw BackupError.databaseNotEmpty(found.joined(separator: ", ")) }
        _ = try await program(session)
    }

    func run(_ reader: SnapshotReader) async throws {
        let session = try await DatabaseSession.open(url, threads)
        let program = try await program(session)
        let roles = try await reader.roles()
        // Owners are kept only by who may give something to another role.
        let isSuperuser = try await session.run { connection in
            try connection.execute(RoleScript.beforeRows)
            try connection.execute(roles)
            let row = try connection.query("SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user")
            return row.first?[0] == "t"
        }
        let connection = try ProgramConnection(url)
        var command = [
            program.path, "--exit-on-error", "--single-transaction", "--no-password", "--no-subscriptions",
            "--dbname=\(connection.text)",
        ]
        guard !isSuperuser else {
            try await feed(reader, command, connection.environment)
            return try await set(roles)
        }
        // Only a superuser may make event triggers; where one is missing, `swiftlet migrate` says so.
        let list = "\(FileManager.default.temporaryDirectory.path)/swiftlet-list-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: list) }
        let entries = try await entries(reader, program).filter { !$0.contains(" EVENT TRIGGER ") }
        guard FileManager.default.createFile(atPath: list, contents: Data(entries.joined(separator: "\n").utf8)) else {
            throw BackupError.refused("no file can be made in the folder for temporary files")
        }
        command += ["--no-owner", "--no-comments", "--use-list=\(list)"]
        try await feed(reader, command, connection.environment)
        try await set(roles)
    }

    /// What the database's settings are, now that the rows are there.
    private func set(_ roles: String) async throws {
        try await DatabaseSession.open(url, threads).run { try $0.execute(roles) }
    }

    /// The table of contents of the dump, line by line.
    private func entries(_ reader: SnapshotReader, _ program: PostgresProgram) async throws -> [String] {
        let output = try OutputFile()
        let command = [program.path, "--list"]
        try await feed(reader, command, PostgresProgram.environment(), output: output, readsAll: false)
        return String(decoding: output.bytes(most: 1 << 28), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The last piece is held back until all of them have had their checksum: without it the program commits nothing.
    private func feed(
        _ reader: SnapshotReader,
        _ command: [String],
        _ environment: [String: String],
        output: OutputFile? = nil,
        readsAll: Bool = true
    ) async throws {
        // Whoever ends before it has read everything must not end us.
        signal(SIGPIPE, SIG_IGN)
        let (dump, sha256) = try await reader.dump()
        let errors = try OutputFile()
        var pipe = try ChildPipe()
        let child = try ChildProgram.start(
            command,
            environment,
            input: pipe.reading,
            output: output?.descriptor,
            errors: errors.descriptor
        )
        pipe.closeReading()
        let writing = pipe.writing
        let digest = try RunningDigest(.sha256)
        var isWritten = true
        do {
            var last: [UInt8] = []
            for try await chunk in dump.chunks {
                try digest.add(chunk)
                let piece = last
                last = chunk
                try await threads.finish { try ChildProgram.write(piece, to: writing) }
            }
            guard try digest.finish() == sha256 else {
                throw BackupError.damaged("\(SnapshotPart.dump.rawValue) has changed")
            }
            let piece = last
            try await threads.finish { try ChildProgram.write(piece, to: writing) }
        } catch let error as POSIXError where error.code == .EPIPE {
            // Its own words say why.
            isWritten = false
        } catch {
            child.kill()
            _ = try? await threads.finish { try child.wait() }
            throw error
        }
        pipe.closeWriting()
        let status = try await threads.finish { try child.wait() }
        guard status == 0, isWritten || !readsAll else {
            throw BackupError.programFailed(name: "pg_restore", status: Int(status), output: errors.summary)
        }
    }

    private func program(_ session: DatabaseSession) async throws -> PostgresProgram {
        let major = try await session.run { connection in
            try connection.query("SELECT current_setting('server_version_num')::integer / 10000").first?[0]
        }
        return try await threads.finish {
            try PostgresProgram.find("pg_restore", major: major.flatMap { Int($0) } ?? 0)
        }
    }

    /// The first few things that somebody has made in the database.
    private static let contents = """
        SELECT name FROM (
            SELECT n.nspname || '.' || c.relname AS name, 'pg_catalog.pg_class'::pg_catalog.regclass AS class, c.oid
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind <> 'i'
            UNION ALL
            SELECT n.nspname || '.' || p.proname || '()', 'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid
            FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
            UNION ALL
            SELECT n.nspname, 'pg_catalog.pg_namespace'::pg_catalog.regclass, n.oid FROM pg_catalog.pg_namespace n
            WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'public')
        ) AS made
        WHERE NOT EXISTS (
            SELECT FROM pg_catalog.pg_depend d WHERE d.classid = class AND d.objid = made.oid AND d.deptype = 'e'
        )
        ORDER BY name LIMIT 5
        """
}
