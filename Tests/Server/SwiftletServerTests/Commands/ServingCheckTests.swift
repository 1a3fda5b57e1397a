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

    private static let secrets = """
        CREATE TABLE secrets (id text PRIMARY KEY);
        INSERT INTO secrets VALUES ('1');
        ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
        INSERT INTO swiftlet.access_checks (entry)
        VALUES ('{"who": {"kind": "anon"}, "table": "secrets", "expect": {"seen": 0, "of": 1}}')
        """

    /// The migration is tried, and nothing of it stays.
    @Test(arguments: [
        ("ALTER TABLE secrets DISABLE ROW LEVEL SECURITY; GRANT SELECT ON secrets TO anon", "sees 1 of 1 rows"),
        ("ALTER TABLE secrets RENAME TO secrets2", "there is no such table once the pending migrations are applied"),
        ("SELECT 1", nil),
        ("GRANT SELECT ON secrets TO anon", nil),
    ])
    func `access is judged as the pending migrations leave it`(migration: String, fault: String?) async throws {
        let url = try TestDatabase.create()
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(Self.secrets)
        try write(migration, to: "migrations/9001_change.sql")
        let checked = try await check(url)
        #expect(checked.output.contains("1 pending migrations were tried and undone: 9001_change."))
        #expect(try connection.query("SELECT relrowsecurity FROM pg_class WHERE relname = 'secrets'") == [["t"]])
        if let fault {
            #expect(checked.status == 78)
            #expect(checked.errors.contains("Access: anon on public.secrets"))
            #expect(checked.errors.contains(fault), "\(checked.errors)")
        } else {
            #expect(checked.status == 0, "\(checked.errors)")
            #expect(checked.output.contains("1 access checks hold."))
        }
    }

    @Test func `what functions declare is judged as the pending migrations leave it`() async throws {
        let url = try TestDatabase.create()
        let migrations = "\(folder)/migrations"
        try FileManager.default.removeItem(atPath: migrations)
        try FileManager.default.copyItem(atPath: TestDatabase.migrations, toPath: migrations)
        let sound = try await check(url, ["APPS": ""])
        #expect(sound.status == 0, "\(sound.errors)")
        #expect(sound.output.contains("All migrations are applied."))
        let text = "ALTER TABLE tasks RENAME TO tasks2;\nALTER TABLE contracts DROP COLUMN contract_number CASCADE;"
        try write(text, to: "migrations/business/9001_change.sql")
        let checked = try await check(url, ["APPS": ""])
        #expect(checked.status == 78)
        #expect(checked.errors.contains("tasks once the pending migrations are applied"), "\(checked.errors)")
        #expect(checked.errors.contains("contracts.contract_number"))
        #expect(checked.output.contains("Note: 9001_change:1: ALTER TABLE tasks RENAME TO tasks2: breaks servers"))
        let second = "Note: 9001_change:2: ALTER TABLE contracts DROP COLUMN contract_number CASCADE: breaks servers"
        #expect(checked.output.contains(second))
    }

    @Test func `what the database has lacked before is no fault of the check`() async throws {
        let url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute("DROP TABLE quotes CASCADE")
        let checked = try await check(url, ["APPS": "", "MIGRATIONS_DIR": TestDatabase.migrations])
        #expect(checked.status == 0, "\(checked.errors)")
        #expect(checked.output.contains("Note: the database lacks quotes"))
    }

    @Test func `a migration that needs what another commits cannot be tried, and that is said`() async throws {
        try write("CREATE TYPE mood AS ENUM ('sad')", to: "migrations/0001_mood.sql")
        let url = try TestDatabase.createEmpty()
        try BlockingConnection.connect(to: url).execute("CREATE TYPE feeling AS ENUM ('sad')")
        try write("ALTER TYPE feeling ADD VALUE 'calm'", to: "migrations/0002_calm.sql")
        try write("CREATE TABLE calm (now feeling DEFAULT 'calm')", to: "migrations/0003_use.sql")
        let checked = try await check(url)
        #expect(checked.status == 0, "\(checked.errors)")
        #expect(checked.output.contains("0003_use uses a value that a pending migration adds to an enumeration"))
        #expect(!checked.output.contains("access checks hold"))
    }

    /// What `serve` refuses, the check refuses.
    @Test(arguments: [
        (["JWT_JWKS": "/nowhere/keys.json", "JWT_SECRET": ""], "JWT_JWKS"),
        (["TLS_CERT_FILE": "/nowhere/cert.pem", "TLS_KEY_FILE": "/nowhere/key.pem"], "TLS_CERT_FILE"),
        (["RATE_LIMIT": "account@nofn=2/1s"], "RATE_LIMIT names the function nofn"),
        (["REST_PRE_REQUEST": "auth.nofn"], "REST_PRE_REQUEST names auth.nofn()"),
        (["REST_PRE_REQUEST": "nofn"], "REST_PRE_REQUEST names nofn()"),
    ])
    func `what settings name must be there`(settings: [String: String], fault: String) async throws {
        let url = try TestDatabase.createEmpty()
        let checked = try await check(url, settings)
        #expect(checked.status == 78)
        #expect(checked.errors.contains(fault), "\(checked.errors)")
        #expect(!checked.errors.contains(".."), "\(checked.errors)")
    }

    @Test func `what is there is no fault, and a replica that is away is a note`() async throws {
        let url = try TestDatabase.createEmpty()
        try BlockingConnection.connect(to: url).execute(
            "CREATE FUNCTION first_of_all() RETURNS void LANGUAGE sql AS ''"
        )
        let checked = try await check(
            url,
            [
                "RATE_LIMIT": "account@batch=2/1s", "REST_PRE_REQUEST": "first_of_all",
                "DATABASE_REPLICA_URLS": "postgresql://nobody@127.0.0.1:1/none",
            ]
        )
        #expect(checked.status == 0, "\(checked.errors)")
        #expect(checked.output.contains("Note: replica 1: "))
    }

    @Test func `a fault of a migration ends with one full stop`() async throws {
        try write("SELEC 1", to: "migrations/0001_first.sql")
        let checked = try await check(try TestDatabase.createEmpty())
        #expect(checked.errors.contains("run swiftlet migrate again."))
        #expect(!checked.errors.contains(".."), "\(checked.errors)")
    }

    @Test func `a database that is newer than the program is said`() async throws {
        let url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute(
            """
            INSERT INTO swiftlet.migrations (owner, number, name, checksum)
            VALUES ('app', 9001, '9001_newer', ''), ('swiftlet', 9002, '9002_newest', '')
            """
        )
        let checked = try await check(url)
        let note = "2 migrations are applied that this program does not have: "
        #expect(checked.output.contains(note), "\(checked.output)")
        #expect(checked.output.contains("it is older than the database"))
        let examined = try await SwiftletProcess.run(
            ["doctor"],
            in: folder,
            [
                "DATABASE_URL": url, "JWT_SECRET": "a-secret-for-tests-of-at-least-32-bytes", "APPS": "none",
                "MIGRATIONS_DIR": "\(folder)/migrations",
            ]
        )
        #expect(examined.output.contains("note   rolling deploy: \(note)"), "\(examined.output)")
    }
}
