import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletMigrations

/// What people do wrong at first ends in one sentence with the remedy.
@Suite(.needsDatabase, .hangLimit) final class TypicalMistakeTests: Sendable {
    private let folder: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        try FileManager.default.createDirectory(atPath: "\(folder)/migrations", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(TestDatabase.migrations)/device-logs",
            toPath: "\(folder)/migrations/device-logs"
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    enum Database: Sendable { case none, text(String), fresh, migrated, weak, missing }

    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let arguments: [String]
        var database = Database.fresh
        var hasSecret = true
        var migration: String?
        let status: Int32
        /// A part of the line that also has the remedy.
        let fault: String
        let remedy: String
    }

    private static let mistakes = [
        Mistake(
            testDescription: "nothing set",
            arguments: ["serve"],
            database: .none,
            hasSecret: false,
            status: 78,
            fault: "DATABASE_URL is missing",
            remedy: "or try: swiftlet dev"
        ),
        Mistake(
            testDescription: "malformed URL",
            arguments: ["serve"],
            database: .text("postgres//host"),
            status: 78,
            fault: "DATABASE_URL is not a libpq URI",
            remedy: "postgresql://user:password@host:5432/name"
        ),
        Mistake(
            testDescription: "wrong host",
            arguments: ["migrate"],
            database: .text("postgresql://a@127.0.0.1:1/x"),
            status: 1,
            fault: "Connection refused",
            remedy: "check host and port in DATABASE_URL"
        ),
        Mistake(
            testDescription: "wrong database",
            arguments: ["serve"],
            database: .missing,
            status: 78,
            fault: "does not exist",
            remedy: "make it with createdb, or correct its name"
        ),
        Mistake(
            testDescription: "bad migration",
            arguments: ["migrate"],
            migration: "SELECT 1;\nCREATE TABEL b ();",
            status: 1,
            fault: "0001_bad:2: syntax error",
            remedy: "correct it, and run swiftlet migrate again"
        ),
        Mistake(
            testDescription: "missing secret",
            arguments: ["serve"],
            hasSecret: false,
            status: 78,
            fault: "JWT_SECRET is missing",
            remedy: "make one with: swiftlet keys"
        ),
        Mistake(
            testDescription: "missing column",
            arguments: ["doctor"],
            database: .migrated,
            status: 1,
            fault: "the database lacks poop_logs.rating",
            remedy: "run swiftlet migrate, or add them"
        ),
        Mistake(
            testDescription: "no rights",
            arguments: ["migrate"],
            database: .weak,
            status: 1,
            fault: "may make none",
            remedy: "CREATE SCHEMA IF NOT EXISTS swiftlet AUTHORIZATION"
        ),
    ]

    @Test(arguments: mistakes)
    func `says the remedy`(mistake: Mistake) async throws {
        if let migration = mistake.migration {
            try Data(migration.utf8).write(to: URL(fileURLWithPath: "\(folder)/migrations/0001_bad.sql"))
        }
        var environment = ["APPS": "device-logs", "HOST": "127.0.0.1", "PORT": "0"]
        environment["DATABASE_URL"] = try url(mistake.database)
        if mistake.hasSecret { environment["JWT_SECRET"] = TestApplication.secret }
        let result = try await SwiftletProcess.run(mistake.arguments, in: folder, environment)
        let text = result.output + result.errors
        #expect(result.status == mistake.status, "\(text)")
        let line = text.split(separator: "\n").first { $0.contains(mistake.fault) }
        #expect(line?.contains(mistake.remedy) == true, "\(text)")
    }

    @Test func `a port that is taken is named, with the settings that choose another`() async throws {
        let (process, port) = try await SwiftletProcess.serveReady(
            in: folder,
            [
                "DATABASE_URL": TestDatabase.create(), "JWT_SECRET": TestApplication.secret, "APPS": "none",
                "HOST": "127.0.0.1",
            ]
        )
        let second = try await SwiftletProcess.run(
            ["dev", "--port", "\(port)"],
            in: folder,
            [
                "DATABASE_URL": TestDatabase.create(), "APPS": "none",
            ]
        )
        #expect(second.status == 78)
        #expect(
            second.errors.contains("port \(port) on 127.0.0.1 is taken by another program: set another PORT, or --port")
        )
        process.send(SIGTERM)
        _ = try await process.end()
    }

    @Test func `a server that is too old is named, with the least version`() {
        #expect(
            DatabaseFitness.versionFault(120_022)?.hasPrefix(
                "The server is PostgreSQL 12, and 13 or newer is needed: move"
            ) == true
        )
        #expect(DatabaseFitness.versionFault(130_000) == nil)
    }

    private func url(_ database: Database) throws -> String? {
        switch database {
        case .none: return nil
        case .text(let text): return text
        case .fresh: return try TestDatabase.createEmpty()
        case .migrated:
            let url = try TestDatabase.create()
            try BlockingConnection.connect(to: url).execute("ALTER TABLE poop_logs DROP COLUMN rating CASCADE")
            return url
        case .missing:
            let url = try TestDatabase.createEmpty()
            return url + (url.contains("?") ? "&" : "?") + "dbname=swiftlet_test_nowhere"
        case .weak:
            let url = try TestDatabase.createEmpty()
            try BlockingConnection.connect(to: url).execute(
                """
                DO $$ BEGIN
                    CREATE ROLE swiftlet_test_weak LOGIN PASSWORD 'test';
                EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
                END $$
                """
            )
            return url + (url.contains("?") ? "&" : "?") + "user=swiftlet_test_weak&password=test"
        }
    }
}
