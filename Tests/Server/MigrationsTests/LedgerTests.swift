import Foundation
import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// The ledger of applied migrations: one line of numbers for each owner.
@Suite(.needsDatabase, .hangLimit)
struct LedgerTests {
    private let url: String

    init() throws {
        url = try TestDatabase.createEmpty()
    }

    @Test func `each owner has numbers of its own`() throws {
        let files = [try file("0001_server", owner: "swiftlet"), try file("0001_app")]
        #expect(try Migrator(url: url, files: files).apply() == ["0001_server", "0001_app"])
        #expect(try Migrator(url: url, files: files).apply() == [])
        #expect(
            try query("SELECT owner, number, name FROM swiftlet.migrations ORDER BY 1")
                == [["app", "1", "0001_app"], ["swiftlet", "1", "0001_server"]]
        )
    }

    @Test func `a ledger without owners gets them from the names of the files`() throws {
        try makeOldLedger()
        let files = try Self.files()
        let migrator = Migrator(url: url, files: files)
        let before = try migrator.status()
        #expect(before.filter(\.isPending).map(\.name) == ["0010_flow_state"])
        #expect(before.contains { $0.owner == "app" && $0.name == "0011_my_own" })
        #expect(
            try query("SELECT count(*) FROM pg_attribute WHERE attname = 'owner' AND attrelid = \(ledger)") == [["0"]]
        )

        #expect(try migrator.apply() == ["0010_flow_state"])
        let owners = try query("SELECT owner, number FROM swiftlet.migrations ORDER BY number")
        let expected = files.sorted { $0.number < $1.number }.map { [$0.owner, "\($0.number)"] }
        #expect(owners == expected + [["app", "11"]])
        #expect(try migrator.apply() == [])
        #expect(try !migrator.status().contains(where: \.isEdited))
    }

    @Test func `an edited file is still found behind an old ledger`() throws {
        try makeOldLedger()
        try execute("UPDATE public.swiftlet_migrations SET checksum = 'other' WHERE number = 3")
        let migrator = Migrator(url: url, files: try Self.files())
        #expect(throws: MigrationError.edited(["0003_tasks"])) { try migrator.apply() }
    }

    /// The queue and the table of devices as version 0.1 had them, with rows.
    @Test func `an installation of version 0.1 upgrades by itself`() throws {
        let connection = try BlockingConnection.connect(to: url)
        let old = try Self.releasedFiles()
        try connection.execute(
            """
            CREATE TABLE swiftlet_migrations (
                owner text NOT NULL, number integer NOT NULL, name text NOT NULL, checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (owner, number)
            )
            """
        )
        for file in old {
            try connection.execute(file.text)
            _ = try connection.query(
                "INSERT INTO swiftlet_migrations VALUES ($1, $2, $3, encode(sha256(convert_to($4, 'UTF8')), 'hex'))",
                [file.owner, "\(file.number)", file.name, file.text]
            )
        }
        try connection.execute(
            """
            INSERT INTO swiftlet_jobs (name) VALUES ('waiting');
            INSERT INTO users (id, tenant_id, email) VALUES ('u', 'a', 'ada@a.example');
            INSERT INTO auth.users (id) VALUES ('11111111-1111-4111-8111-111111111111');
            INSERT INTO devices (id, secret_hash) VALUES ('11111111-1111-4111-8111-111111111111', 'hash')
            """
        )
        let migrator = Migrator(url: url, files: try TestDatabase.files())
        let applied = try migrator.apply()
        #expect(applied.contains("0017_jobs") && applied.contains("0001_devices"))
        #expect(!applied.contains("0002_tenants_and_users"))
        #expect(try query("SELECT name FROM swiftlet.jobs") == [["waiting"]])
        #expect(try query("SELECT secret_hash FROM devices") == [["hash"]])
        #expect(try query("SELECT count(*) FROM swiftlet.adopted_tables") == [["0"]])
        #expect(
            try query("SELECT to_regclass('public.swiftlet_jobs'), to_regclass('public.swiftlet_migrations')") == [
                [nil, nil]
            ]
        )
        #expect(try migrator.status().allSatisfy { if case .applied = $0.state { true } else { false } })
        #expect(try migrator.apply() == [])
    }

    /// The files of version 0.1 with the owners of that time.
    private static func releasedFiles() throws -> [MigrationFile] {
        let server = ["0001", "0002", "0005", "0006", "0008", "0009", "0010", "0011", "0016"]
        let names = server + ["0007", "0012", "0015"]
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Release010")
        var files = try TestDatabase.files().filter { file in
            switch file.owner {
            case "business": file.number <= 19
            case "check-ins": file.number == 30
            case "device-logs": file.number == 40
            case "gallery": file.number == 50
            default: file.number <= 16
            }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            files.append(try MigrationFile(fileName: name, text: text, owner: "swiftlet"))
        }
        let own = try files.map { file in
            let isServers =
                names.contains { file.name.hasPrefix($0) }
                && !["0011_business_records", "0012_equipment", "0015_quotes_proposals", "0016_invoices"].contains(
                    file.name
                )
            return try MigrationFile(
                fileName: file.name + ".sql",
                text: file.text,
                owner: isServers ? "swiftlet" : file.owner
            )
        }
        return own.filter { $0.owner == "swiftlet" }.sorted { $0.number < $1.number }
            + own.filter { $0.owner != "swiftlet" }
    }

    @Test func `several servers upgrade an old ledger once`() async throws {
        try makeOldLedger()
        let url = url
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 1...4 {
                group.addTask { try Migrator(url: url, files: Self.files()).apply() }
            }
            let applied = try await group.reduce(into: []) { $0 += $1 }
            #expect(applied == ["0010_flow_state"])
        }
    }

    @Test(arguments: ["", "-- To be filled in.\n", "/* later\n */ ;\n"])
    func `a file without a statement is not recorded`(text: String) throws {
        let file = try MigrationFile(fileName: "0001_later.sql", text: text)
        #expect(throws: MigrationError.empty("0001_later")) { try Migrator(url: url, files: [file]).apply() }
        #expect(try query("SELECT count(*) FROM swiftlet.migrations") == [["0"]])
    }

    @Test func `tells the highest number of each owner`() throws {
        try makeOldLedger()
        let highest = try Migrator(url: url, files: Self.files()).highestNumbers()
        #expect(highest["app"] == 11)
        #expect(highest["swiftlet"] == 1)
        #expect(highest["business"] == 9)
    }

    private let ledger = "'swiftlet_migrations'::regclass"

    /// The files of the time when server and app shared one line of numbers.
    private static func files() throws -> [MigrationFile] {
        try TestDatabase.files().filter { $0.number <= 10 && $0.owner != "device-logs" }
    }

    /// As a server before owners left it: all files up to the ninth, and one of the app's own.
    private func makeOldLedger() throws {
        let old = try Self.files().filter { $0.number < 10 }.sorted { $0.number < $1.number }
        try execute(
            """
            CREATE TABLE swiftlet_migrations (
                number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now()
            )
            """
        )
        let connection = try BlockingConnection.connect(to: url)
        for file in old {
            try connection.execute(file.text)
            _ = try connection.query(
                "INSERT INTO swiftlet_migrations VALUES ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'))",
                ["\(file.number)", file.name, file.text]
            )
        }
        try execute("INSERT INTO swiftlet_migrations VALUES (11, '0011_my_own', 'x')")
    }

    private func file(_ name: String, owner: String = "app") throws -> MigrationFile {
        try MigrationFile(fileName: name + ".sql", text: "SELECT 1", owner: owner)
    }

    private func execute(_ sql: String) throws { try BlockingConnection.connect(to: url).execute(sql) }

    private func query(_ sql: String) throws -> [[String?]] { try BlockingConnection.connect(to: url).query(sql) }
}
