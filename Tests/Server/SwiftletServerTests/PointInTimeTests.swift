import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletEmbeddedPostgres

/// What `backup pitr` writes and prints, done line by line: by the pgBackRest of the system, on a PostgreSQL of the
/// test's own. Servers are started and copied, which takes ten seconds.
@Suite(
    .needsDatabase,
    .hangLimit,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/pgbackrest"), "install pgbackrest")
)
final class PointInTimeTests: Sendable {
    private let folder: String
    private let cluster: String
    private let privileges: Privileges

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        cluster = "\(folder)/cluster"
        privileges = try Privileges.choose()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `pgBackRest goes back to a moment, and each row finds its file`() async throws {
        try await withServer { server in
            let url = server.url(database: "pitr")
            try await onThread {
                try BlockingConnection.connect(to: server.url()).execute("CREATE DATABASE pitr")
                try TestDatabase.migrate(url)
                try BlockingConnection.connect(to: url).execute(
                    "INSERT INTO storage.buckets (id, name) VALUES ('b', 'b'); CREATE TABLE written (id integer)"
                )
            }
            let said = try await configure(url)
            try await tell(Self.lines(of: said, below: "tell PostgreSQL"), server)
        }
        let beside = "\(folder)/beside"
        let (moment, replacing) = try await withServer { server in
            let url = server.url(database: "pitr")
            let said = try await configure(url)
            #expect(said.contains("PostgreSQL keeps its log there already"))
            for line in Self.lines(of: said, below: "then, as the user") { try await shell(line) }
            let moment = try await write(url)
            // Beside what runs.
            try FileManager.default.createDirectory(atPath: beside, withIntermediateDirectories: false)
            try privileges.own(beside)
            for line in Self.lines(of: said, below: "back to a moment, beside") {
                let place = line.replacing("\(cluster)/data-restored", with: "\(beside)/data")
                #expect(place != line)
                try await shell(place.replacing("2026-11-27 12:00:00+00", with: moment))
            }
            return (moment, Self.lines(of: said, below: "or in its place"))
        }
        try await withServer(in: beside) { server in
            try await expectMoment(server.url(database: "pitr"))
            #expect(try await onThread { try Self.text("SHOW archive_mode", server.url()) } == "off")
        }
        // In its place: the server is stopped.
        for line in replacing { try await shell(line.replacing("2026-11-27 12:00:00+00", with: moment)) }
        try await withServer { server in
            try await expectMoment(server.url(database: "pitr"))
            #expect(try await onThread { try Self.text("SHOW archive_mode", server.url()) } == "on")
        }
    }

    /// Rows and files, a moment, and more of both; returns the moment once the log behind it is kept.
    private func write(_ url: String) async throws -> String {
        let environment = [
            "DATABASE_URL": url, "JWT_SECRET": TestApplication.secret, "APPS": "none", "HOST": "127.0.0.1",
        ]
        let (process, port) = try await SwiftletProcess.serveReady(in: folder, environment)
        func storage(_ arguments: String...) async throws {
            let more = environment.merging(["PORT": "\(port)"]) { $1 }
            let result = try await SwiftletProcess.run(["storage"] + arguments, in: folder, more)
            #expect(result.status == 0, "\(arguments): \(result.errors)")
        }
        try Data("before".utf8).write(to: URL(filePath: "\(folder)/old.txt"))
        try await storage("cp", "old.txt", "storage://b/replaced.txt")
        try await storage("cp", "old.txt", "storage://b/removed.txt")
        let moment = try await onThread {
            let connection = try BlockingConnection.connect(to: url)
            try connection.execute("INSERT INTO written VALUES (1), (2)")
            return try connection.query("SELECT clock_timestamp()").first?[0] ?? ""
        }
        try Data("after".utf8).write(to: URL(filePath: "\(folder)/new.txt"))
        try await storage("cp", "new.txt", "storage://b/replaced.txt")
        try await storage("rm", "storage://b/removed.txt")
        process.send(SIGTERM)
        _ = try await process.end()
        let segment = try await onThread {
            let connection = try BlockingConnection.connect(to: url)
            try connection.execute("DELETE FROM written WHERE id = 1; INSERT INTO written VALUES (3)")
            return try connection.query("SELECT pg_walfile_name(pg_switch_wal())").first?[0] ?? ""
        }
        let isKept = try await eventually(within: .seconds(60)) {
            try await onThread {
                let query = "SELECT last_archived_wal >= '\(segment)' FROM pg_stat_archiver"
                return try Self.text(query, url) == "t"
            }
        }
        #expect(isKept)
        return moment
    }

    /// Rows as they were, and the files of then in the storage of now.
    private func expectMoment(_ url: String) async throws {
        // It answers reads before it has gone the whole way.
        let isThere = try await eventually(within: .seconds(60)) {
            try await onThread { try Self.text("SELECT pg_is_in_recovery()", url) } == "f"
        }
        #expect(isThere)
        let rows = try await onThread {
            try BlockingConnection.connect(to: url).query("SELECT id FROM written ORDER BY id")
        }
        #expect(rows == [["1"], ["2"]])
        let check = try await SwiftletProcess.run(["storage", "check", "--deep"], in: folder, ["DATABASE_URL": url])
        #expect(check.status == 0)
        #expect(check.output.hasPrefix("2 rows, 0 without their file, 0 whose file is another;"), "\(check.output)")
    }

    /// Writes the configuration, as an operator who is root does; returns what is printed.
    private func configure(_ url: String) async throws -> String {
        let (output, repository) = ("\(folder)/pgbackrest.conf", "\(folder)/repository")
        try FileManager.default.createDirectory(atPath: repository, withIntermediateDirectories: true)
        let result = try await SwiftletProcess.run(
            ["backup", "pitr", "--repository", repository, "--output", output],
            in: folder,
            ["DATABASE_URL": url]
        )
        #expect(result.status == 0, "\(result.errors)")
        for path in [output, repository] { try privileges.own(path) }
        return result.output
    }

    private func tell(_ statements: [String], _ server: PostgresCluster) async throws {
        #expect(statements.contains { $0.contains("archive_mode") })
        try await onThread {
            let connection = try BlockingConnection.connect(to: server.url())
            for statement in statements { try connection.execute(statement) }
        }
    }

    /// As the user of PostgreSQL.
    private func shell(_ line: String) async throws {
        let command = try #require(privileges.dropping(["/bin/sh", "-c", line]))
        try await Tool.run(command, in: folder)
    }

    /// The lines that are set in below a title.
    private static func lines(of text: String, below title: String) -> [String] {
        text.components(separatedBy: "\n").drop { !$0.hasPrefix(title) }.dropFirst().prefix { $0.hasPrefix("  ") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func text(_ query: String, _ url: String) throws -> String? {
        try BlockingConnection.connect(to: url).query(query).first?[0]
    }

    private func withServer<Value>(
        in other: String? = nil,
        _ body: (PostgresCluster) async throws -> Value
    ) async throws -> Value {
        let place = other ?? cluster
        let settings = ["fsync": "off", "shared_buffers": "16MB", "max_connections": "40"]
        let server = try await onThread { try PostgresCluster.start(in: place, settings: settings) }
        do {
            let value = try await body(server)
            await blocking { server.stop() }
            return value
        } catch {
            await blocking { server.stop() }
            throw error
        }
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await blocking { Result { try body() } }.get()
    }
}
