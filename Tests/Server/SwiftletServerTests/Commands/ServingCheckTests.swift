import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

/// `swiftlet serve --check`, as a deployment runs it before it replaces a server.
@Suite(.needsDatabase, .hangLimit)
final class ServingCheckTests {
    private let folder: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        try FileManager.default.createDirectory(atPath: "\(folder)/migrations", withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func check(
        _ url: String,
        _ more: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        let environment = [
            "DATABASE_URL": url, "JWT_SECRET": "a-secret-for-tests-of-at-least-32-bytes", "APPS": "none",
            "MIGRATIONS_DIR": "\(folder)/migrations",
        ]
        return try await SwiftletProcess.run(["serve", "--check"], in: folder, environment.merging(more) { $1 })
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    @Test func `a sound server is none that serves: it says what was looked at, and ends`() async throws {
        let url = try TestDatabase.createEmpty()
        try write("CREATE TABLE first (id integer)", to: "migrations/0001_first.sql")
        let checked = try await check(url)
        #expect(checked.status == 0, "\(checked.errors)")
        #expect(checked.output.contains("pending migrations were tried and undone"))
        #expect(checked.output.contains("0 access checks hold."))
        #expect(try BlockingConnection.connect(to: url).query("SELECT to_regclass('first')") == [[nil]])
    }

    @Test func `faults of the configuration are said together`() async throws {
        let checked = try await check("", ["JWT_SECRET": "short", "WORKERS": "many"])
        #expect(checked.status == 78)
        for name in ["DATABASE_URL", "JWT_SECRET", "WORKERS"] { #expect(checked.errors.contains(name), "\(name)") }
    }

    @Test func `a migration that would fail is a fault, with its file and line`() async throws {
        try write("CREATE TABLE first (id integer);\nCREATE TABEL second ()", to: "migrations/0001_first.sql")
        let checked = try await check(try TestDatabase.createEmpty())
        #expect(checked.status == 78)
        #expect(checked.errors.contains("Migrations: "))
        #expect(checked.errors.contains("0001_first"))
    }

    @Test func `a database that is not there is a fault`() async throws {
        let checked = try await check("postgresql://nobody@127.0.0.1:1/none")
        #expect(checked.status == 78)
        #expect(checked.errors.contains("Database"))
    }

    /// Kept in the database, and in a file.
    @Test func `who sees too much is a fault`() async throws {
        let url = try TestDatabase.create()
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(
            """
            CREATE TABLE secrets (id text PRIMARY KEY);
            INSERT INTO secrets VALUES ('1');
            ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
            GRANT SELECT ON secrets TO anon;
            INSERT INTO swiftlet.access_checks (entry)
            VALUES ('{"who": {"kind": "anon"}, "table": "secrets", "expect": {"seen": 0, "of": 1}}')
            """
        )
        try FileManager.default.removeItem(atPath: "\(folder)/migrations")
        let environment = ["MIGRATIONS_DIR": TestDatabase.migrations]
        let sound = try await check(url, environment)
        #expect(sound.status == 0, "\(sound.errors)")
        #expect(sound.output.contains("1 access checks hold."))

        try connection.execute("CREATE POLICY all_of_them ON secrets USING (true)")
        let check =
            #"[{"who": {"kind": "anon"}, "table": "secrets", "action": "select", "key": ["1"], "expect": false}]"#
        try write(check, to: "access.json")
        let open = try await self.check(url, environment)
        #expect(open.status == 78)
        #expect(open.errors.contains("sees 1 of 1 rows, expected 0 of 1"))
        #expect(open.errors.contains("select is allowed, expected otherwise"))
    }
}
