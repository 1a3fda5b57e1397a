import Migrations
import Postgres
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
            try query("SELECT owner, number, name FROM swiftlet_migrations ORDER BY 1")
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
        let owners = try query("SELECT owner, number FROM swiftlet_migrations ORDER BY number")
        let expected = files.sorted { $0.number < $1.number }.map { [$0.owner, "\($0.number)"] }
        #expect(owners == expected + [["app", "11"]])
        #expect(try migrator.apply() == [])
        #expect(try !migrator.status().contains(where: \.isEdited))
    }

    @Test func `an edited file is still found behind an old ledger`() throws {
        try makeOldLedger()
        try execute("UPDATE swiftlet_migrations SET checksum = 'other' WHERE number = 3")
        let migrator = Migrator(url: url, files: try Self.files())
        #expect(throws: MigrationError.edited(["0003_tasks"])) { try migrator.apply() }
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
        #expect(try query("SELECT count(*) FROM swiftlet_migrations") == [["0"]])
    }

    @Test func `tells the highest number of each owner`() throws {
        try makeOldLedger()
        let highest = try Migrator(url: url, files: Self.files()).highestNumbers()
        #expect(highest["app"] == 11)
        #expect(highest["swiftlet"] == 9)
    }

    private let ledger = "'swiftlet_migrations'::regclass"

    /// The files of the time when server and app shared one line of numbers.
    private static func files() throws -> [MigrationFile] {
        try TestDatabase.files().filter { $0.number <= 10 }
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
